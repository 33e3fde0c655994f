/** The pods, callers and objects that the suites of Services are made with. */
export { clientPod, drainingPod, FAST_PORT, NAMESPACE, serverPod, service, slice, TARGET_PORT } from "./objects.ts";
export { clusterIp, EXTERNAL_ADDRESSES, nodePort, ServiceLab } from "./service-lab.ts";
