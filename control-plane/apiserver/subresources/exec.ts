import type { ApiContext, RequestAttributes } from "../attributes.ts";
import { remoteCommand } from "./remote-command.ts";

/** `pods/<name>/exec`: runs a command in a container. */
export const podExec = (context: ApiContext, attributes: RequestAttributes, request: Request): Promise<Response> =>
  remoteCommand("exec", context, attributes, request);
