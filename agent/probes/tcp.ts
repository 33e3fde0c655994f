import { connect } from "node:net";
import { describeDialError, failure, joinHostPort, type Outcome, success } from "./outcome.ts";

/** Good if the connection is accepted; nothing is sent. */
export function probeTcp(host: string, port: number, timeoutMs: number): Promise<Outcome> {
  const address = joinHostPort(host, port);
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const settle = (outcome: Outcome) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(outcome);
    };
    const timer = setTimeout(() => settle(failure(`dial tcp ${address}: i/o timeout`)), timeoutMs);
    socket.once("connect", () => settle(success));
    socket.once("error", (error) => settle(failure(describeDialError(error, address))));
  });
}
