import { createSocket } from "node:dgram";
import { once } from "node:events";
import { expect, it } from "vitest";
import { PROBE_PORT } from "./message.ts";
import { ProbeSockets } from "./sockets.ts";

const ADDRESS = `127.84.${process.pid % 250}.1`;

/** Whether the address' port is free. */
async function isFree(): Promise<boolean> {
  const socket = createSocket("udp4").bind(PROBE_PORT, ADDRESS);
  try {
    await once(socket, "listening");
    return true;
  } catch {
    return false;
  } finally {
    socket.close();
  }
}

it("leaves no socket that was not open yet when it was not wanted any more", async () => {
  const sockets = new ProbeSockets(() => {});
  const opening = sockets.follow([ADDRESS]);
  await sockets.follow([]);
  expect([sockets.has(ADDRESS), await isFree()]).toEqual([false, true]);
  await opening;
  void sockets.follow([ADDRESS]);
  sockets.close();
  await sockets.follow([]);
  expect([sockets.has(ADDRESS), await isFree()]).toEqual([false, true]);
});

it("opens one socket for an address that is asked for twice", async () => {
  const sockets = new ProbeSockets(() => {});
  await Promise.all([sockets.follow([ADDRESS]), sockets.follow([ADDRESS])]);
  expect([sockets.has(ADDRESS), await isFree()]).toEqual([true, false]);
  sockets.close();
  expect(await isFree()).toBe(true);
});
