import type { Env } from "../env.ts";
import type { ApiContext } from "./attributes.ts";

/** A request from outside: finds the cluster, authenticates, then serves it. */
export async function handleRequest(_request: Request, _env: Env, _context: ExecutionContext): Promise<Response> {
  return new Response("not built yet", { status: 501 });
}

/** A request whose user is known: controllers, the scheduler and node sessions call it in their own isolate. */
export async function serveApi(_request: Request, _context: ApiContext): Promise<Response> {
  return new Response("not built yet", { status: 501 });
}
