import { createSocket } from "node:dgram";
import { connect } from "node:net";
import { performance } from "node:perf_hooks";
import type { Answer, Ask } from "./protocol.ts";

/** An answer that does not come in two seconds does not come: the network of a lab loses nothing. */
const TIMEOUT_MS = 2_000;
const AT_ONCE = 16;

export async function ask(question: Ask): Promise<Answer> {
  const startedMs = performance.now();
  const text = await (question.protocol === "UDP" ? askByDatagram(question) : askByConnection(question));
  return { text, ms: performance.now() - startedMs };
}

export async function askMany(question: Ask): Promise<Answer[]> {
  const answers: Answer[] = [];
  let left = question.count ?? 1;
  const one = async () => {
    while (left > 0) {
      left -= 1;
      answers.push(await ask(question));
    }
  };
  await Promise.all(Array.from({ length: question.atOnce ?? AT_ONCE }, one));
  return answers;
}

/** A question every two milliseconds, whatever becomes of those before it. @returns when the first was asked that `name` answered, in ms from now */
export function askUntil(question: Ask, name: string): Promise<number> {
  const startedMs = performance.now();
  return new Promise((resolve) => {
    const timer = setInterval(async () => {
      const askedMs = performance.now();
      if ((await ask({ timeoutMs: 500, ...question })).text.split(" ")[0] !== name) return;
      clearInterval(timer);
      resolve(askedMs - startedMs);
    }, 2);
  });
}

const firstLine = (data: Buffer) => data.toString().split("\n")[0]!;
const reason = (error: Error) => (error as NodeJS.ErrnoException).code ?? error.message;

function askByConnection(question: Ask): Promise<string> {
  const { address, port, localAddress, localPort, timeoutMs = TIMEOUT_MS, send } = question;
  return new Promise((resolve) => {
    const socket = connect({ host: address, port, localAddress, localPort });
    const came: Buffer[] = [];
    const settle = (text: string) => {
      socket.destroy();
      clearTimeout(timer);
      resolve(text);
    };
    const timer = setTimeout(() => settle("timeout"), timeoutMs);
    if (send !== undefined) socket.write(send);
    socket.on("data", (data) => (send === undefined ? settle(firstLine(data)) : came.push(data)));
    socket.once("end", () => settle(came.length === 0 ? "ended" : Buffer.concat(came).toString()));
    socket.once("error", (error) => settle(reason(error)));
  });
}

function askByDatagram({ address, port, localAddress, localPort, timeoutMs = TIMEOUT_MS }: Ask): Promise<string> {
  return new Promise((resolve) => {
    // Not for ports that the kernel chooses: it would give one to two sockets.
    const reuseAddr = localPort !== undefined;
    const socket = createSocket({ type: address.includes(":") ? "udp6" : "udp4", reuseAddr });
    const settle = (text: string) => {
      clearTimeout(timer);
      socket.removeAllListeners();
      socket.on("error", () => {});
      socket.close();
      resolve(text);
    };
    const timer = setTimeout(() => settle("timeout"), timeoutMs);
    socket.once("error", (error) => settle(reason(error)));
    socket.once("message", (data) => settle(firstLine(data)));
    socket.bind(localPort ?? 0, localAddress, () => {
      socket.connect(port, address, () => socket.send("?\n"));
    });
  });
}
