/** Keeps the agent's areas told of objects: list and watch over the tunnel, resumed after every break. */
export { createFeed, type FeedOptions } from "./feed.ts";
