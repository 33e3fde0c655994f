import { expect } from "vitest";
import {
  CONFIG_MAPS,
  DEPLOYMENTS,
  ENDPOINT_SLICES,
  ENDPOINTS,
  IP_ADDRESSES,
  NODES,
  SERVICE_CIDRS,
  SERVICES,
} from "../../../shared/api/refs.ts";
import type { EndpointSlice, Endpoints, Service } from "../../../shared/api/types.ts";
import { deployment, node, object, service } from "../../builders/objects.ts";
import type { SimApi } from "../sim-api.ts";
import { change, createAll, remove, type Story } from "./story.ts";

const slicesOf = (api: SimApi, name: string) =>
  api
    .all<EndpointSlice>(ENDPOINT_SLICES)
    .filter(({ metadata }) => metadata.labels?.["kubernetes.io/service-name"] === name);

const pools = object("v1", "ConfigMap", "hearth-load-balancer", {
  metadata: { name: "hearth-load-balancer", namespace: "kube-system" },
  data: { pools: "- {name: lan, addresses: [192.0.2.8-192.0.2.9]}" },
}).build();

const address = (name: string) =>
  object("networking.k8s.io/v1", "IPAddress", name, {
    metadata: {
      name,
      labels: {
        "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io",
        "ipaddress.kubernetes.io/ip-family": "IPv4",
      },
    },
    spec: { parentRef: { resource: "services", namespace: "default", name: "w" } },
  }).build();

/** What changed last is not known to who slept meanwhile: the Service's own time stands for it. */
const WHAT_TRIGGERED = /"annotations":{("endpoints.kubernetes.io\/last-change-trigger-time":"then")?},/;

export const SERVICE_STORIES: Story[] = [
  {
    name: "ranges of addresses, one of which is deleted while it is in use",
    of: ["default-service-cidr", "service-cidr"],
    acts: [
      createAll(
        [
          SERVICE_CIDRS,
          object("networking.k8s.io/v1", "ServiceCIDR", "more", { spec: { cidrs: ["10.97.0.0/24"] } }).build(),
        ],
        [IP_ADDRESSES, address("10.97.0.7")],
      ),
      remove(SERVICE_CIDRS, "more"),
      (api) => {
        expect(api.find(SERVICE_CIDRS, "more")).toBeDefined();
        return api.delete(IP_ADDRESSES, { name: "10.97.0.7" });
      },
    ],
    end: (api) => expect(api.all(SERVICE_CIDRS).map(({ metadata }) => metadata.name)).toEqual(["kubernetes"]),
    writes: 5,
  },
  {
    name: "the addresses of Services, made and removed where somebody forgot to",
    of: ["service-ip-repair"],
    beside: ["default-service-cidr", "service-cidr"],
    acts: [
      createAll([SERVICES, service("w").build()], [IP_ADDRESSES, address("10.96.0.99")]),
      (api) => {
        expect(api.all(IP_ADDRESSES).map(({ metadata }) => metadata.name)).toEqual(["10.96.0.10"]);
        return remove(SERVICES, "w")(api);
      },
    ],
    end: (api) => expect(api.all(IP_ADDRESSES)).toEqual([]),
    writes: 6,
  },
  {
    name: "a Service whose pods come and go",
    of: ["endpointslice", "endpoints"],
    beside: ["deployment", "replicaset"],
    vague: WHAT_TRIGGERED,
    acts: [
      createAll(
        [NODES, node("a").ready().build()],
        [SERVICES, service("w").build()],
        [DEPLOYMENTS, deployment("w").replicas(2).build()],
      ),
      change(DEPLOYMENTS, "w", { spec: { replicas: 3 } }),
      change(SERVICES, "w", { spec: { ports: [{ name: "web", port: 80, targetPort: 8080, protocol: "TCP" }] } }),
      change(DEPLOYMENTS, "w", { spec: { replicas: 1 } }),
    ],
    end(api) {
      expect(slicesOf(api, "w").flatMap(({ endpoints }) => endpoints)).toMatchObject([{ conditions: { ready: true } }]);
      expect(api.find<Endpoints>(ENDPOINTS, "default/w")?.subsets).toMatchObject([{ ports: [{ port: 8080 }] }]);
    },
    writes: 20,
  },
  {
    name: "a Service that is deleted",
    of: ["endpointslice", "endpoints"],
    beside: ["garbage-collector"],
    acts: [createAll([SERVICES, service("w").build()], [NODES, node("a").ready().build()]), remove(SERVICES, "w")],
    end: (api) => expect([ENDPOINT_SLICES, ENDPOINTS].map((ref) => api.all(ref))).toEqual([[], []]),
    writes: 3,
  },
  {
    name: "Endpoints made by hand",
    of: ["endpointslice-mirroring"],
    acts: [
      createAll(
        [
          SERVICES,
          service("w")
            .with({ spec: { selector: undefined as never } })
            .build(),
        ],
        [ENDPOINTS, byHand(["192.0.2.1", "192.0.2.2"])],
      ),
      change(ENDPOINTS, "w", { subsets: byHand(["192.0.2.2", "2001:db8::1"])["subsets"] }),
      remove(ENDPOINTS, "w"),
    ],
    end: (api) => expect(slicesOf(api, "w")).toEqual([]),
    writes: 5,
  },
  {
    name: "the Services of the API and of names, which are deleted",
    of: ["kubernetes-service", "kube-dns-service"],
    acts: [
      createAll([NODES, node("a").ready().build()]),
      async (api) => {
        await api.delete(SERVICES, { name: "kubernetes", namespace: "default" });
        await api.delete(SERVICES, { name: "kube-dns", namespace: "kube-system" });
        await api.delete(ENDPOINTS, { name: "kubernetes", namespace: "default" });
      },
    ],
    end: (api) => expect(api.all(SERVICES)).toHaveLength(2),
    writes: 7,
  },
  {
    name: "a balancer's address, given and taken back",
    of: ["service-lb"],
    acts: [
      createAll(
        [CONFIG_MAPS, pools],
        [
          SERVICES,
          service("w")
            .with({ spec: { type: "LoadBalancer" } })
            .build(),
        ],
        [
          SERVICES,
          service("v")
            .with({ spec: { type: "LoadBalancer" } })
            .build(),
        ],
      ),
      // As the API server: what belongs to the type goes with it.
      change(SERVICES, "w", { spec: { type: "ClusterIP" }, status: { loadBalancer: null } }),
      remove(SERVICES, "v"),
    ],
    end: (api) =>
      expect(api.all<Service>(SERVICES).map(({ status }) => status?.loadBalancer?.ingress ?? [])).toEqual([[]]),
    writes: 4,
  },
];

function byHand(addresses: string[]) {
  return object("v1", "Endpoints", "w", {
    metadata: { name: "w", namespace: "default" },
    subsets: [{ addresses: addresses.map((ip) => ({ ip })), ports: [{ port: 80, protocol: "TCP" }] }],
  }).build();
}
