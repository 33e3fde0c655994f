/**
 * Where a cluster's objects live: one ResourceStore for each resource, a Durable Object with a database of its own.
 * It knows keys, revisions and texts; what a Pod is, who may see it and what a valid one looks like is the API
 * server's. Only the API server talks to it; controllers and the scheduler are fed by it (`onChanges`) and read and
 * write through the API.
 */

export { type OpenWatch, openList, openWatch, type Refused } from "./client.ts";
export { type Continuation, decodeContinue, encodeContinue } from "./continue-token.ts";
export type * from "./interface.ts";
export { MAX_LIST_REPLY_BYTES, MAX_VALUE_BYTES } from "./interface.ts";
export { parseStoreName, type StoreName, storeName } from "./store-name.ts";
