import { performance } from "node:perf_hooks";
import type { JsonClient } from "../../test/harness/json-client.ts";
import { percentile } from "./statistics.ts";

export interface Timing {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
}

/** Runs `total` calls from so many workers, each with one call at a time. */
export async function timeCalls(
  workers: number,
  total: number,
  call: (index: number) => Promise<unknown>,
): Promise<Timing> {
  const samples: number[] = [];
  let next = 0;
  const startMs = performance.now();
  await Promise.all(
    Array.from({ length: workers }, async () => {
      for (let index = next++; index < total; index = next++) {
        const beforeMs = performance.now();
        await call(index);
        samples.push(performance.now() - beforeMs);
      }
    }),
  );
  const seconds = (performance.now() - startMs) / 1000;
  return { perSecond: total / seconds, p50Ms: percentile(samples, 0.5), p99Ms: percentile(samples, 0.99) };
}

export const podBody = (name: string): string =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels: { app: "bench", index: name } },
    spec: {
      containers: [
        {
          name: "main",
          image: "nginx:1.29",
          ports: [{ containerPort: 80 }],
          env: [{ name: "MODE", value: "bench" }],
          resources: { requests: { cpu: "10m", memory: "16Mi" }, limits: { memory: "64Mi" } },
        },
      ],
    },
  });

export const configMapBody = (name: string): string =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name },
    data: { key: "value", text: "x".repeat(200) },
  });

/** Opens watches of a namespace's ConfigMaps, makes changes, and measures from each write to each watcher's event. */
export async function timeFanOut(client: JsonClient, namespace: string, watchers: number, changes: number) {
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const sentMs = new Map<string, number>();
  const delays: number[] = [];
  const stop = new AbortController();
  let opened = 0;
  const done = Array.from({ length: watchers }, async () => {
    const response = await client.open("GET", `${path}?watch=true&resourceVersion=0`, undefined, stop.signal);
    opened++;
    let buffered = "";
    let seen = 0;
    const decoder = new TextDecoder();
    for await (const chunk of response.body!) {
      const nowMs = performance.now();
      buffered += decoder.decode(chunk as Uint8Array, { stream: true });
      const lines = buffered.split("\n");
      buffered = lines.pop()!;
      for (const line of lines) {
        const name = /"name":"(fan-\d+)"/.exec(line)?.[1];
        const sent = name && sentMs.get(name);
        if (sent === undefined || sent === "") continue;
        delays.push(nowMs - sent);
        seen++;
      }
      if (seen >= changes) return;
    }
  });
  while (opened < watchers) await new Promise((resolve) => setTimeout(resolve, 20));
  for (let i = 0; i < changes; i++) {
    const name = `fan-${i}`;
    sentMs.set(name, performance.now());
    await client.send("POST", path, configMapBody(name));
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await Promise.race([Promise.all(done), new Promise((resolve) => setTimeout(resolve, 30_000))]);
  stop.abort();
  await Promise.allSettled(done);
  return { delays, expected: watchers * changes };
}
