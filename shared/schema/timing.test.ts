import { it } from "vitest";
import type { JsonObject } from "../api/json.ts";
import { decodeObject } from "./decode.ts";
import { applyDefaults } from "./default.ts";
import { duplicateFields } from "./duplicates.ts";

const POD = "io.k8s.api.core.v1.Pod";
const TEXT = JSON.stringify({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web-0", namespace: "default", labels: { app: "web", tier: "front" } },
  spec: {
    containers: [
      {
        name: "main",
        image: "registry.test/web:1",
        ports: [{ containerPort: 80 }],
        env: [
          { name: "A", value: "1" },
          { name: "B", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
        ],
        resources: { requests: { cpu: "0.5", memory: "128Mi" }, limits: { cpu: "1", memory: "1Gi" } },
        livenessProbe: { httpGet: { path: "/", port: 80 } },
        volumeMounts: [{ name: "v", mountPath: "/v" }],
      },
    ],
    volumes: [{ name: "v", configMap: { name: "c" } }],
  },
});
const ROUNDS = 2_000;

/** Microseconds a call, after some to warm up. */
function time(call: () => void): string {
  for (let i = 0; i < ROUNDS; i++) call();
  const startMs = performance.now();
  for (let i = 0; i < ROUNDS; i++) call();
  return `${(((performance.now() - startMs) * 1000) / ROUNDS).toFixed(1)} µs`;
}

it("prints what a small pod costs", () => {
  const value = JSON.parse(TEXT) as JsonObject;
  const decode = () => decodeObject(POD, value, "Strict").object;
  console.log("a pod of", TEXT.length, "bytes:", {
    parse: time(() => JSON.parse(TEXT)),
    duplicates: time(() => duplicateFields(TEXT, value)),
    decode: time(decode),
    decodeAndDefault: time(() => applyDefaults(POD, decode())),
  });
});
