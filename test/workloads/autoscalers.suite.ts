import { afterAll, beforeAll, expect, it } from "vitest";
import type { Event } from "../../shared/api/types.ts";
import { Workspace } from "../clients/workspace.ts";
import type { Kubectl } from "../harness/kubectl.ts";
import type { OwnCluster } from "../harness/own-cluster.ts";
import { waitFor } from "../harness/wait-for.ts";
import { all, type Manifest, manifest } from "./manifests.ts";

const CPU = { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 60 } } };
const REQUESTS = {
  type: "Pods",
  pods: { metric: { name: "http_requests_per_second" }, target: { type: "AverageValue", averageValue: "120" } },
};
const QUEUE = { type: "External", external: { metric: { name: "queue" }, target: { type: "Value", value: "10" } } };

const autoscaler = (name: string, spec: Manifest = {}) =>
  manifest("autoscaling/v2", "HorizontalPodAutoscaler", name, {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
    minReplicas: 4,
    maxReplicas: 40,
    metrics: [CPU],
    ...spec,
  });

const EVERY = { timeoutMs: 60_000, intervalMs: 1_000 };

/** HorizontalPodAutoscalers on a cluster that serves no metrics: what the API fills in, and what becomes of replicas. */
export function describeAutoscalers(cluster: () => OwnCluster): void {
  let work: Workspace;
  let kubectl: Kubectl;

  beforeAll(async () => {
    work = await Workspace.create(cluster(), "autoscalers");
    kubectl = work.kubectl;
  });
  afterAll(() => work?.remove());

  const dryRun = (text: string, ...args: string[]) =>
    kubectl.finish(["apply", "--dry-run=server", "-f", "-", ...args], text);

  it("looks every 15 s, and removes no replicas while a metric is missing (HPA-01, HPA-05)", async () => {
    const template = { metadata: { labels: { app: "api" } }, spec: { containers: [{ name: "main", image: "app:1" }] } };
    const deployment = { replicas: 8, selector: { matchLabels: { app: "api" } }, template };
    await kubectl.apply(
      all(manifest("apps/v1", "Deployment", "api", deployment), autoscaler("api", { metrics: [CPU, REQUESTS] })),
    );
    const { count, firstTimestamp, lastTimestamp } = await waitFor(
      "the second look",
      async () => {
        const about = "--field-selector=involvedObject.name=api,reason=FailedComputeMetricsReplicas";
        const [event] = (await kubectl.json<{ items: Event[] }>("get", "events", about)).items;
        return (event?.count ?? 0) > 1 && event;
      },
      EVERY,
    );
    const everySeconds = (Date.parse(lastTimestamp ?? "") - Date.parse(firstTimestamp ?? "")) / 1000 / (count! - 1);
    expect([everySeconds >= 14, everySeconds < 20]).toEqual([true, true]);
    const described = await kubectl.run("describe", "hpa", "api");
    expect(described).toMatch(
      /Warning +FailedComputeMetricsReplicas +\S+( \(x\d+ over \d+s\))? +horizontal-pod-autoscaler +invalid metrics \(2 invalid out of 2\)/,
    );
    expect(described).toMatch(/^ {2}resource cpu on pods {2}\(as a percentage of request\): +<unknown> \/ 60%$/m);
    expect(described).toMatch(/^ {2}"http_requests_per_second" on pods: +<unknown> \/ 120$/m);
    expect(described).toMatch(/^ {2}ScalingActive +False +FailedGetResourceMetric +the HPA was unable to compute/m);
    expect(described).toMatch(/^Deployment pods: +8 current \/ 0 desired$/m);
    expect(await kubectl.run("get", "deployment/api", "-o", "jsonpath={.spec.replicas}")).toBe("8");
  });

  it("gets the rules for growth, and no window for shrinking, where it has rules at all (HPA-07, HPA-08, HPA-09, HPA-11)", async () => {
    const behavior = { scaleDown: { policies: [{ type: "Pods", value: 1, periodSeconds: 60 }] } };
    const { stdout } = await dryRun(
      autoscaler("ruled", { behavior }),
      ...["-o", 'jsonpath={.spec.behavior.scaleUp}{"\\n"}{.spec.behavior.scaleDown}{"\\n"}'],
    );
    expect(stdout).toBe(
      '{"policies":[{"periodSeconds":15,"type":"Pods","value":4},{"periodSeconds":15,"type":"Percent","value":100}],"selectPolicy":"Max","stabilizationWindowSeconds":0}\n' +
        '{"policies":[{"periodSeconds":60,"type":"Pods","value":1}],"selectPolicy":"Max"}\n',
    );
    expect((await dryRun(autoscaler("plain"), "-o", "jsonpath={.spec.behavior}")).stdout).toBe("");
  });

  it("takes resources and metrics of pods, rules and tolerances (HPA-03, HPA-13, HPA-14)", async () => {
    const behavior = {
      scaleUp: {
        stabilizationWindowSeconds: 0,
        tolerance: "0.01",
        policies: [{ type: "Percent", value: 100, periodSeconds: 30 }],
      },
      scaleDown: {
        stabilizationWindowSeconds: 300,
        policies: [{ type: "Percent", value: 10, periodSeconds: 60 }],
      },
    };
    const both = autoscaler("both", { metrics: [CPU, REQUESTS], behavior });
    expect(await dryRun(both)).toEqual({
      code: 0,
      stdout: "horizontalpodautoscaler.autoscaling/both created (server dry run)\n",
      stderr: "",
    });
    expect((await dryRun(both, "-o", "jsonpath={.spec.behavior.scaleUp.tolerance}")).stdout).toBe("10m");
  });

  /** Kubernetes 1.36 has the gate HPAScaleToZero off; what the row tells is 1.37's. */
  it("does not go to zero in 1.36, whatever it counts (HPA-12)", async () => {
    expect((await dryRun(autoscaler("zero", { minReplicas: 0, metrics: [QUEUE] }))).stderr).toBe(
      'The HorizontalPodAutoscaler "zero" is invalid: spec.minReplicas: Invalid value: 0: must be greater than or equal to 1\n',
    );
  });
}
