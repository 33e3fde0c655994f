import { BALANCED_FROM, balancerIps, FROM_NODES } from "../../../shared/api/load-balancer.ts";
import { SERVICES } from "../../../shared/api/refs.ts";
import { isConflict, isNotFound } from "../../../shared/api/status.ts";
import type { ConfigMap, EndpointSlice, Node, Service } from "../../../shared/api/types.ts";
import { messageOf } from "../../../shared/message-of.ts";
import { type ControllerDeps, done, type Informer, type Requeue } from "../../runtime/index.ts";
import { type BalancerConfig, CONFIG_MAP, DEFAULT_CONFIG, parseBalancerConfig } from "./config.ts";
import { CLEANUP_FINALIZER, decide, isHeld, type Plan } from "./decide.ts";
import { holdingOf } from "./holding.ts";
import { BALANCED, SLICES_OF } from "./indexes.ts";
import type { Reservations } from "./reservations.ts";
import type { Told } from "./told.ts";

const CONFIG_KEY = `kube-system/${CONFIG_MAP}`;

export interface Deps extends ControllerDeps {
  services: Informer<Service>;
  nodes: Informer<Node>;
  slices: Informer<EndpointSlice>;
  configMaps: Informer<ConfigMap>;
  reservations: Reservations;
  told: Told;
}

export async function reconcile(key: string, deps: Deps): Promise<Requeue> {
  const { services, nodes, slices, reservations, log } = deps;
  const service = services.get(key);
  if (!service) {
    if (key !== CONFIG_KEY) deps.told.forget(key);
    return done;
  }
  const plan = decide({
    service,
    config: readConfig(deps),
    others: othersOf(key, deps),
    reserved: reservations.of(service),
    nodes: nodes.list(),
    slices: slices.byIndex(SLICES_OF, key),
  });
  if (plan.step !== "wait") deps.told.forget(key);
  if (plan.step === "leave") return done;
  const patch = patchFor(service, plan);
  if (patch) log.info("service-lb plan", { key, plan });
  try {
    await carryOut(service, plan, patch, deps);
  } catch (error) {
    // Somebody else wrote meanwhile, and that change wakes the key again.
    if (isConflict(error) || isNotFound(error)) return done;
    if (plan.step === "release") {
      deps.events.event(
        service,
        "Warning",
        "SyncLoadBalancerFailed",
        `Error syncing load balancer: ${messageOf(error)}`,
      );
    }
    throw error;
  }
  return done;
}

/** @returns undefined while it cannot be read; its own event says why */
function readConfig({ configMaps, events, told }: Deps): BalancerConfig | undefined {
  const configMap = configMaps.get(CONFIG_KEY);
  if (!configMap) return DEFAULT_CONFIG;
  try {
    const config = parseBalancerConfig(configMap.data);
    told.forget(CONFIG_KEY);
    return config;
  } catch (error) {
    const message = messageOf(error);
    const isNews = told.note(CONFIG_KEY, `${configMap.metadata.resourceVersion} ${message}`);
    if (isNews) events.event(configMap, "Warning", "InvalidConfiguration", message);
    return undefined;
  }
}

function othersOf(key: string, { services, reservations }: Deps) {
  const shown = services.byIndex(BALANCED, "").map(holdingOf);
  return [...shown, ...reservations.list()].filter((holding) => holding.key !== key && holding.ips.length > 0);
}

/** What must be written, in one piece: to the status, where metadata may be written, too. */
function patchFor(service: Service, plan: Plan): { metadata: object; status?: object } | undefined {
  const { uid, resourceVersion, finalizers = [], annotations } = service.metadata;
  const ips = plan.step === "hold" ? plan.ips : [];
  const from = plan.step === "hold" ? plan.from : undefined;
  const others = finalizers.filter((name) => name !== CLEANUP_FINALIZER);
  const isFinalized = others.length < finalizers.length;
  const isShown =
    balancerIps(service).join() === ips.join() &&
    (service.status?.loadBalancer?.ingress ?? []).every(({ ipMode }) => ipMode === "VIP");
  if (isShown && annotations?.[BALANCED_FROM] === from && isFinalized === (from !== undefined)) return undefined;
  if (plan.step === "wait" && !plan.isHeld) return undefined;
  return {
    metadata: {
      uid,
      resourceVersion,
      annotations: { [BALANCED_FROM]: from ?? null },
      finalizers: from === undefined ? others : [...others, CLEANUP_FINALIZER],
    },
    // Of a Service of another type the field is empty already, and must be.
    ...(service.spec?.type === "LoadBalancer" && {
      status: { loadBalancer: { ingress: ips.length > 0 ? ips.map((ip) => ({ ip, ipMode: "VIP" })) : null } },
    }),
  };
}

async function carryOut(service: Service, plan: Plan, patch: object | undefined, deps: Deps): Promise<void> {
  const { api, events, reservations, told } = deps;
  const { name, namespace, uid } = service.metadata;
  const key = `${namespace}/${name}`;
  const tell = (reason: string, message: string, type: "Normal" | "Warning" = "Normal") =>
    events.event(service, type, reason, message);
  const write = () => api.patch(SERVICES, { name, namespace, subresource: "status" }, "merge", patch);
  const had = isHeld(service) ? balancerIps(service) : [];

  if (plan.step === "hold") {
    if (!patch) return;
    const isNew = had.length === 0;
    if (isNew) tell("EnsuringLoadBalancer", "Ensuring load balancer");
    reservations.reserve(uid, { ...holdingOf(service), ips: plan.ips, from: plan.from });
    await write();
    const isOfPool = plan.from !== FROM_NODES;
    if (isOfPool && had.join() !== plan.ips.join()) tell("IPAllocated", `Assigned IP ${JSON.stringify(plan.ips)}`);
    if (isNew) tell("EnsuredLoadBalancer", "Ensured load balancer");
    else if (!isOfPool) tell("UpdatedLoadBalancer", "Updated load balancer with new hosts");
    return;
  }
  reservations.drop(key);
  if (plan.step === "release") {
    tell("DeletingLoadBalancer", "Deleting load balancer");
    await write();
    tell("DeletedLoadBalancer", "Deleted load balancer");
    return;
  }
  if (plan.step !== "wait") return;
  if (patch) await write();
  const reason = plan.problem ?? "";
  if (!told.note(key, reason)) return;
  if (plan.problem)
    tell("AllocationFailed", `Failed to allocate IP for ${JSON.stringify(key)}: ${plan.problem}`, "Warning");
  else if (patch) tell("UnAvailableLoadBalancer", "There are no available nodes for LoadBalancer", "Warning");
}
