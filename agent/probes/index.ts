/**
 * Startup, readiness and liveness probes: runs them against running containers and keeps a verdict for each. What
 * follows from a verdict (a restart, a condition) is the kubelet's decision.
 */
export { type HttpGetAction, httpGet, PLAIN_HTTP } from "./http-get.ts";
export { createProber, type ProbedInstance, type ProbeKind, type Prober } from "./prober.ts";
