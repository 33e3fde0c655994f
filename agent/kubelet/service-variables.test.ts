import { expect, it } from "vitest";
import { serviceVariables } from "./service-variables.ts";

const service = (namespace: string, name: string, spec: object) => ({ metadata: { namespace, name }, spec });
const KUBERNETES = service("default", "kubernetes", { clusterIP: "10.96.0.1", ports: [{ name: "https", port: 443 }] });
const DB = service("shop", "my-db", { clusterIP: "10.96.7.7", ports: [{ port: 5432 }, { name: "web-ui", port: 80 }] });
const HEADLESS = service("shop", "peers", { clusterIP: "None", ports: [{ port: 1 }] });
const MASTER = {
  KUBERNETES_SERVICE_HOST: "10.96.0.1",
  KUBERNETES_SERVICE_PORT: "443",
  KUBERNETES_SERVICE_PORT_HTTPS: "443",
  KUBERNETES_PORT: "tcp://10.96.0.1:443",
  KUBERNETES_PORT_443_TCP: "tcp://10.96.0.1:443",
  KUBERNETES_PORT_443_TCP_PROTO: "tcp",
  KUBERNETES_PORT_443_TCP_PORT: "443",
  KUBERNETES_PORT_443_TCP_ADDR: "10.96.0.1",
};

it.each([
  { name: "the API's service in every namespace", namespace: "other", enableServiceLinks: true, want: MASTER },
  { name: "and without service links", namespace: "shop", enableServiceLinks: false, want: MASTER },
  {
    name: "the namespace's own, with upper case and underscores; none without an address",
    namespace: "shop",
    enableServiceLinks: true,
    want: {
      ...MASTER,
      MY_DB_SERVICE_HOST: "10.96.7.7",
      MY_DB_SERVICE_PORT: "5432",
      MY_DB_SERVICE_PORT_WEB_UI: "80",
      MY_DB_PORT: "tcp://10.96.7.7:5432",
      MY_DB_PORT_5432_TCP: "tcp://10.96.7.7:5432",
      MY_DB_PORT_5432_TCP_PROTO: "tcp",
      MY_DB_PORT_5432_TCP_PORT: "5432",
      MY_DB_PORT_5432_TCP_ADDR: "10.96.7.7",
      MY_DB_PORT_80_TCP: "tcp://10.96.7.7:80",
      MY_DB_PORT_80_TCP_PROTO: "tcp",
      MY_DB_PORT_80_TCP_PORT: "80",
      MY_DB_PORT_80_TCP_ADDR: "10.96.7.7",
    },
  },
])("$name", ({ namespace, enableServiceLinks, want }) => {
  expect(serviceVariables([KUBERNETES, DB, HEADLESS], { namespace, enableServiceLinks })).toEqual(want);
});
