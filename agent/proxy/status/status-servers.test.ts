import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { afterEach, expect, it } from "vitest";
import { FakeClock } from "../../../test/builders/fake-clock.ts";
import { ProxyStatus } from "./proxy-status.ts";
import { answerHealth, answerMetrics, keepServing, servingWhile } from "./status-servers.ts";

let ending = new AbortController();
afterEach(() => {
  ending.abort();
  ending = new AbortController();
});

function sources({ isEligible = true } = {}) {
  const { health, metrics } = new ProxyStatus(new FakeClock());
  return { health, metrics, isNodeEligible: () => isEligible };
}

it.each([
  { answer: answerHealth, path: "/healthz", status: 200, body: /"nodeEligible":true/ },
  { answer: answerHealth, path: "/livez", status: 200, body: /"healthy":true/ },
  { answer: answerHealth, path: "/metrics", status: 404, body: /^404 page not found\n$/ },
  { answer: answerMetrics, path: "/healthz", status: 200, body: /^ok$/ },
  { answer: answerMetrics, path: "/proxyMode", status: 200, body: /^nftables$/ },
  { answer: answerMetrics, path: "/metrics", status: 200, body: /^# HELP kubeproxy_/ },
  { answer: answerMetrics, path: "/livez", status: 404, body: /^404 page not found\n$/ },
])("$answer.name $path", ({ answer, path, status, body }) => {
  const answered = answer(path, sources());
  expect(answered.status).toBe(status);
  expect(answered.body).toMatch(body);
});

it("a node that is being taken away is alive and not to be sent to", () => {
  const known = sources({ isEligible: false });
  expect([answerHealth("/healthz", known).status, answerHealth("/livez", known).status]).toEqual([503, 200]);
  const text = answerMetrics("/metrics", known).body;
  expect(text).toContain('kubeproxy_proxy_healthz_total{code="503"} 1');
  expect(text).toContain('kubeproxy_proxy_livez_total{code="200"} 1');
});

it("serves while it is wanted", () => {
  const served: AbortSignal[] = [];
  const want = servingWhile(async (signal) => void served.push(signal), ending.signal);
  const running = () => served.map(({ aborted }) => !aborted);
  const seen = [false, true, true, false, true].map((isWanted) => {
    want(isWanted);
    return running();
  });
  expect(seen).toEqual([[], [true], [true], [false], [false, true]]);
  ending.abort();
  expect(running()).toEqual([false, false]);
});

it("serves until it ends; a port that is taken is said once, and taken when it is free", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  const clock = new FakeClock();
  const said: string[] = [];
  let onSaid = () => {};
  let listensOn: number | undefined;
  const answer = (path: string) => ({ status: 200, headers: {}, body: path });
  const nextWord = () =>
    new Promise<void>((resolve) => {
      onSaid = resolve;
    });
  let word = nextWord();
  const served = keepServing(
    { name: "test", port, host: "127.0.0.1", answer },
    {
      clock,
      signal: ending.signal,
      log: (level) => {
        said.push(level);
        onSaid();
      },
      onListening: (on) => {
        listensOn = on;
      },
    },
  );
  await word;
  word = nextWord();
  await clock.advance(5_000);
  await word;
  expect(said).toEqual(["warn", "debug"]);
  other.close();
  await once(other, "close");
  // A program that another test starts at this moment may have inherited it until it runs.
  while (listensOn === undefined) await clock.advance(300_000);
  expect(listensOn).toBe(port);
  expect(await (await fetch(`http://127.0.0.1:${port}/livez?verbose`)).text()).toBe("/livez");
  ending.abort();
  await served;
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow();
});
