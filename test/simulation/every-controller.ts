import { controllersOf } from "../../control-plane/controllers/index.ts";
import type { ControllerDefinition } from "../../control-plane/runtime/index.ts";
import { podScheduling } from "../../control-plane/scheduler/pod-scheduling.ts";
import { DEFAULT_CLUSTER_NETWORK } from "../../shared/api/cluster-network.ts";

/** Of the cluster that the controllers run in. */
const CLUSTER = {
  caCertificatePem: async () => "the CA",
  issueCertificate: async () => ({ certificatePem: "a certificate" }),
  signServiceAccountToken: async () => "a token",
  network: async () => DEFAULT_CLUSTER_NETWORK,
  advertised: async () => ({ ip: "192.0.2.7", port: 6443 }),
};

/** All that runs in the object of the controllers. */
export const allControllers = (): ControllerDefinition[] => controllersOf(CLUSTER);

/** All that a control plane runs, the scheduler last. */
export const everyController = (): ControllerDefinition[] => [...allControllers(), podScheduling];
