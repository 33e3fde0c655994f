import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { RELAY_ADDRESS, RELAY_SOURCE, type RelayPorts } from "../names.ts";

/** A burst of what pods send, until it is read; the kernel gives what it may. */
const RECEIVE_BUFFER_BYTES = 4 * 1024 * 1024;

/** Where the kernel's relay device and the agent hand packets to each other: UDP on loopback, in VXLAN's form. */
export interface KernelPort {
  send(frame: Uint8Array): void;
  close(): void;
}

/**
 * Opens both ends. Packets come from the device alone: it has a source port that nobody else can send from while this is
 * open.
 * @throws Error if another program has the ports
 */
export async function openKernelPort(ports: RelayPorts, onFrame: (frame: Uint8Array) => void): Promise<KernelPort> {
  const receiver = createSocket("udp4");
  const sender = createSocket("udp4");
  const sockets = [receiver, sender];
  const close = () => {
    for (const socket of sockets) socket.close();
  };
  try {
    await Promise.all([bind(receiver, ports.agent, RELAY_ADDRESS), bind(sender, ports.agent, RELAY_SOURCE)]);
  } catch (error) {
    close();
    throw error;
  }
  receiver.setRecvBufferSize(RECEIVE_BUFFER_BYTES);
  receiver.on("message", (frame, { address, port }) => {
    if (address === RELAY_SOURCE && port === ports.agent) onFrame(frame);
  });
  // Of a packet that could not be sent (the device is made anew) its sender hears as of any loss.
  for (const socket of sockets) socket.on("error", () => {}).unref();
  return { send: (frame) => sender.send(frame, ports.kernel, RELAY_SOURCE, () => {}), close };
}

async function bind(socket: Socket, port: number, address: string): Promise<void> {
  socket.bind(port, address);
  await once(socket, "listening"); // rejects with "error"
}
