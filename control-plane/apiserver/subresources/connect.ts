import { internalError } from "../../../shared/api/status.ts";
import type { ConnectHandler } from "../call.ts";
import type { Handler } from "../resource-request.ts";

/** A subresource that answers with a connection or stream of its own. */
export const connect =
  (handler: ConnectHandler): Handler =>
  ({ call, context, attributes }) => {
    if (!call.request) throw internalError("a connection cannot be made in process");
    return handler(context, { ...attributes, verb: "connect" }, call.request);
  };
