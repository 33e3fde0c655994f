import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../shared/api/object.ts";
import { findResource } from "../../../shared/schema/index.ts";
import { fromStored, toStored } from "./index.ts";

const V1 = findResource({ group: "autoscaling", version: "v1", resource: "horizontalpodautoscalers" })!;
const V2 = findResource({ group: "autoscaling", version: "v2", resource: "horizontalpodautoscalers" })!;

const hpa = (spec: object, status: object = {}, annotations?: Record<string, string>): KubeObject => ({
  metadata: { name: "h", ...(annotations ? { annotations } : {}) },
  spec: { maxReplicas: 5, ...spec },
  status: { desiredReplicas: 0, ...status },
});
const cpu = (averageUtilization: number) => ({
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization } },
});
const memory = {
  type: "Resource",
  resource: { name: "memory", target: { type: "AverageValue", averageValue: "1Gi" } },
};

describe("an autoscaler of v1", () => {
  it("has one target, which v2 has as a metric", () => {
    const stored = toStored(V1, hpa({ targetCPUUtilizationPercentage: 50 }));
    expect(stored.spec).toEqual({ maxReplicas: 5, metrics: [cpu(50)] });
    expect(fromStored(V1, stored).spec).toEqual({ maxReplicas: 5, targetCPUUtilizationPercentage: 50 });
  });

  it("carries in annotations what it has no field for", () => {
    const behavior = { scaleDown: { stabilizationWindowSeconds: 60 } };
    const shown = fromStored(V1, hpa({ metrics: [cpu(50), memory], behavior }, {}, { mine: "x" }));
    expect(shown.spec).toEqual({ maxReplicas: 5, targetCPUUtilizationPercentage: 50 });
    const annotations = shown.metadata.annotations ?? {};
    expect(annotations["mine"]).toBe("x");
    expect(JSON.parse(annotations["autoscaling.alpha.kubernetes.io/metrics"]!)).toEqual([
      { type: "Resource", resource: { name: "memory", targetAverageValue: "1Gi" } },
    ]);
    expect(JSON.parse(annotations["autoscaling.alpha.kubernetes.io/behavior"]!)).toEqual({
      ScaleUp: null,
      ScaleDown: expect.objectContaining({ StabilizationWindowSeconds: 60 }),
    });
  });

  it.each([
    { name: "one metric", spec: { metrics: [cpu(50)] } },
    { name: "metrics of memory, with CPU's last", spec: { metrics: [memory, cpu(80)] } },
    { name: "no metric", spec: { minReplicas: 2 } },
  ])("comes back to v2 as it went: $name", ({ spec }) => {
    const shown = fromStored(V1, structuredClone(hpa(spec)));
    const back = toStored(V1, shown);
    expect(back.spec).toEqual(hpa(spec).spec);
    expect(back.metadata).toEqual({ name: "h" });
  });

  it("leaves out an annotation that is no JSON", () => {
    const stored = toStored(V1, hpa({}, {}, { "autoscaling.alpha.kubernetes.io/metrics": "{" }));
    expect(stored.spec).toEqual({ maxReplicas: 5 });
    expect(stored.metadata.annotations).toBeUndefined();
  });
});

it("what is stored as it is served is left alone", () => {
  const object = hpa({ metrics: [cpu(1)] });
  expect(fromStored(V2, object)).toBe(object);
  expect(toStored(V2, object)).toBe(object);
});
