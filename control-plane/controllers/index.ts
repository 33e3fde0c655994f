/**
 * The controllers of a cluster: each turns what is wanted into the next small step, and talks only through the API
 * client. `ControllerManager` is the Durable Object that runs them all. Scheduling pods is not done here.
 */
import type { ControllerDefinition } from "../runtime/index.ts";
import { deploymentController } from "./deployment/index.ts";
import { replicaSetController } from "./replicaset/index.ts";

/** Every controller there is; nothing registers itself elsewhere. */
export const CONTROLLERS: ControllerDefinition[] = [deploymentController, replicaSetController];
