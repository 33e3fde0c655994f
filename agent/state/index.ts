/**
 * What the agent keeps on disk to work without its control plane: the pods it was last told of, and the objects and
 * tokens they were started with. Secrets and tokens are sealed with a key that only this node has. It is no source of
 * truth: as soon as the API answers, the API's word replaces it.
 */
export { createOrder, writeFileAtomically } from "./files.ts";
export { type AgentState, objectKey, openState, type PullRecord, type RememberedKind, type Token } from "./store.ts";
