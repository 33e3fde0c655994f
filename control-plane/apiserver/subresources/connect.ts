import { forbidden, internalError } from "../../../shared/api/status.ts";
import { decide } from "../authz/index.ts";
import type { ConnectHandler } from "../call.ts";
import type { Handler } from "../resource-request.ts";

/** A subresource that answers with a connection or stream of its own. */
export const connect =
  (handler: ConnectHandler): Handler =>
  ({ call, context, attributes }) => {
    if (!call.request) throw internalError("a connection cannot be made in process");
    return handler(context, { ...attributes, verb: "connect" }, call.request);
  };

/**
 * A session with a container. A WebSocket's handshake is a GET, yet it starts something: the verb `get` alone, which
 * roles that only read may hold, is not enough (AuthorizePodWebsocketUpgradeCreatePermission, kubernetes 133515).
 */
export const connectToCreate = (handler: ConnectHandler): Handler => {
  const connected = connect(handler);
  return async (request) => {
    const { info, context } = request;
    if (info.verb !== "create") {
      const { allowed, reason } = await decide({ ...info, verb: "create", user: context.user }, context);
      if (!allowed) throw forbidden(info, info.name, reason);
    }
    return connected(request);
  };
};

/**
 * A proxy whose reads need the right to read. A handshake is no read: through it the kubelet starts commands in
 * containers, which upstream lets whoever may `get` the proxy do.
 */
export const connectToRead = (handler: ConnectHandler): Handler => {
  const [plain, upgraded] = [connect(handler), connectToCreate(handler)];
  return (request) => (request.call.headers.get("upgrade") === null ? plain(request) : upgraded(request));
};
