import type { Env } from "../env.ts";

export async function handleRequest(_request: Request, _env: Env, _context: ExecutionContext): Promise<Response> {
  return new Response("not built yet", { status: 501 });
}
