import type { ApiContext, RequestAttributes } from "../attributes.ts";
import { remoteCommand } from "./remote-command.ts";

/** `pods/<name>/attach`: joins the streams of a container's own process. */
export const podAttach = (context: ApiContext, attributes: RequestAttributes, request: Request): Promise<Response> =>
  remoteCommand("attach", context, attributes, request);
