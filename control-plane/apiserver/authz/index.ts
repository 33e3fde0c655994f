import type { ApiContext } from "../attributes.ts";
import type { ApiCall } from "../call.ts";
import type { RequestInfo } from "../request-info.ts";

/** For now everybody; replaced below. */
export async function authorizeRequest(_call: ApiCall, context: ApiContext, _info: RequestInfo): Promise<ApiContext> {
  return context;
}
