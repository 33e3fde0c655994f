/**
 * The service proxy: from the addresses and ports of Services to their endpoints, in nftables, as kube-proxy's mode of that
 * name. Objects become service ports and endpoints (`service-port.ts`, `endpoints.ts`), these the pieces of a table
 * (`pieces.ts`), and their difference from what the kernel has one transaction (`transaction.ts`); all of that is pure.
 */
export { type ProxyContext, startProxy } from "./proxy.ts";
export { tablesOf } from "./table-name.ts";
