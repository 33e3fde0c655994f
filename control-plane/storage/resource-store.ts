import { DurableObject } from "cloudflare:workers";
import type { Env } from "../env.ts";

export class ResourceStore extends DurableObject<Env> {}
