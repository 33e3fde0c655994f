import { afterAll, beforeAll, expect, it } from "vitest";
import type { Pod } from "../../shared/api/types.ts";
import { Workspace } from "../clients/workspace.ts";
import type { Kubectl } from "../harness/kubectl.ts";
import type { OwnCluster } from "../harness/own-cluster.ts";
import { PLAYED } from "../harness/played-nodes.ts";
import { waitFor } from "../harness/wait-for.ts";
import { type Manifest, manifest, object } from "./manifests.ts";

interface JobPod {
  /** What becomes of its pods on a played node. */
  played?: string;
  restartPolicy?: "Never" | "OnFailure";
}

const template = ({ played = "runs", restartPolicy = "Never" }: JobPod) => ({
  metadata: { annotations: { [PLAYED]: played } },
  spec: { restartPolicy, containers: [{ name: "main", image: "app:1" }] },
});
const job = (name: string, pod: JobPod, spec: Manifest = {}) =>
  manifest("batch/v1", "Job", name, { template: template(pod), ...spec });
const cronJob = (name: string, schedule: string, spec: Manifest = {}) =>
  manifest("batch/v1", "CronJob", name, { schedule, jobTemplate: { spec: { template: template({}) } }, ...spec });

/** Jobs whose pods end as they are told to, and CronJobs with slots that passed by. */
export function describeJobs(cluster: () => OwnCluster): void {
  let work: Workspace;
  let kubectl: Kubectl;

  beforeAll(async () => {
    work = await Workspace.create(cluster(), "job-rows");
    kubectl = work.kubectl;
  });
  afterAll(() => work?.remove());

  const podsOf = async (name: string) =>
    (await kubectl.json<{ items: Pod[] }>("get", "pods", "-l", `job-name=${name}`, "--sort-by=.metadata.name")).items;
  const path = (what: string, jsonpath: string) => kubectl.run("get", what, "-o", `jsonpath=${jsonpath}`);
  const hasEnded = (name: string, condition: "complete" | "failed") =>
    kubectl.run("wait", `job/${name}`, `--for=condition=${condition}`, "--timeout=60s");
  const failure = (name: string) =>
    path(
      `job/${name}`,
      '{.status.conditions[?(@.type=="Failed")].reason}: {.status.conditions[?(@.type=="Failed")].message}',
    );
  const setStatus = (pod: Pod, status: unknown) =>
    kubectl.run(
      ...["patch", "pod", pod.metadata.name, "--subresource=status", "--type=merge"],
      ...["-p", JSON.stringify({ status })],
    );
  const secondsOf = (time = "") => Date.parse(time) / 1000;

  it("counts failed pods, the next of which comes after 10 s, then 20 s (JOB-01, JOB-02)", async () => {
    await kubectl.apply(job("never", { played: "exits 1" }, { backoffLimit: 2 }));
    await hasEnded("never", "failed");
    expect(await failure("never")).toBe("BackoffLimitExceeded: Job has reached the specified backoff limit");
    expect(await path("job/never", "{.status.failed}")).toBe("3");
    const pods = await podsOf("never");
    const made = pods.map(({ metadata }) => secondsOf(metadata.creationTimestamp)).sort((a, b) => a - b);
    const ended = pods
      .map(({ status }) => secondsOf(status?.containerStatuses?.[0]?.state?.terminated?.finishedAt))
      .sort((a, b) => a - b);
    const waits = [0, 1].map((n) => Math.round((made[n + 1] ?? 0) - (ended[n] ?? 0)));
    expect(waits[0]).toBeGreaterThanOrEqual(9);
    expect(waits[1]).toBeGreaterThanOrEqual(19);
    expect(waits[1]).toBeLessThan(40);
    expect(await kubectl.run("events", "--for", "job/never")).toMatch(
      /Warning +BackoffLimitExceeded +Job\/never +Job has reached the specified backoff limit\n/,
    );
    expect(await kubectl.run("get", "job/never", "--no-headers")).toMatch(/^never +Failed +0\/1 +\S+ +\S+\n$/);
  });

  it("counts restarts of containers where they are restarted; six by default (JOB-01)", async () => {
    await kubectl.apply(job("on-failure", { restartPolicy: "OnFailure" }));
    expect(await path("job/on-failure", "{.spec.backoffLimit}")).toBe("6");
    const pod = await waitFor("its pod to run", async () =>
      (await podsOf("on-failure")).find(({ status }) => status?.phase === "Running"),
    );
    const restarted = (restartCount: number) =>
      setStatus(pod, { containerStatuses: [{ ...pod.status!.containerStatuses![0]!, restartCount }] });
    await restarted(5);
    await kubectl.run("label", "job/on-failure", "look=again");
    await waitFor("the Job to have looked", async () => (await path("job/on-failure", "{.status.ready}")) === "0");
    expect(await path("job/on-failure", "{.status.conditions}{.status.active}")).toBe("1");
    await restarted(6);
    await hasEnded("on-failure", "failed");
    expect(await failure("on-failure")).toBe("BackoffLimitExceeded: Job has reached the specified backoff limit");
    expect(await podsOf("on-failure")).toEqual([]);
  });

  it("ends at its deadline, whatever attempts are left (JOB-03)", async () => {
    await kubectl.apply(job("late", { played: "exits 1" }, { backoffLimit: 6, activeDeadlineSeconds: 3 }));
    await hasEnded("late", "failed");
    expect(await failure("late")).toBe("DeadlineExceeded: Job was active longer than specified deadline");
    expect(await path("job/late", "{.status.failed}")).toBe("1");
    expect(await kubectl.run("describe", "job/late")).toMatch(
      /Warning +DeadlineExceeded +\S+ +job-controller +Job was active longer than specified deadline\n/,
    );
  });

  it("fails with more failed indexes than it may have (JOB-09)", async () => {
    const spec = { completionMode: "Indexed", completions: 8, parallelism: 8, backoffLimitPerIndex: 0 };
    await kubectl.apply(job("indexes", {}, { ...spec, maxFailedIndexes: 3 }));
    const pods = await waitFor("eight pods", async () => {
      const found = await podsOf("indexes");
      return found.filter(({ status }) => status?.phase === "Running").length === 8 && found;
    });
    for (const pod of pods.slice(0, 3)) await setStatus(pod, { phase: "Failed" });
    await kubectl.run("wait", "job/indexes", "--for=jsonpath={.status.failedIndexes}=0-2", "--timeout=60s");
    expect(await path("job/indexes", "{.status.active} {.status.conditions}")).toBe("5 ");
    await setStatus(pods[3]!, { phase: "Failed" });
    await hasEnded("indexes", "failed");
    expect(await failure("indexes")).toBe(
      "MaxFailedIndexesExceeded: Job has exceeded the specified maximal number of failed indexes",
    );
    expect(await path("job/indexes", "{.status.failedIndexes}")).toBe("0-3");
  });

  it("does not count an evicted pod, and replaces it (JOB-11)", async () => {
    const rules = [{ action: "Ignore", onPodConditions: [{ type: "DisruptionTarget" }] }];
    await kubectl.apply(job("evicted", {}, { backoffLimit: 0, podFailurePolicy: { rules } }));
    const running = () =>
      waitFor("its pod to run", async () =>
        (await podsOf("evicted")).find(
          ({ metadata, status }) => status?.phase === "Running" && !metadata.deletionTimestamp,
        ),
      );
    const { metadata } = await running();
    await kubectl.finish(
      ["create", "--raw", `/api/v1/namespaces/${work.namespace}/pods/${metadata.name}/eviction`, "-f", "-"],
      object("policy/v1", "Eviction", { name: metadata.name, namespace: work.namespace }),
    );
    await kubectl.run("wait", `pod/${metadata.name}`, "--for=delete", "--timeout=60s");
    expect((await running()).metadata.name).not.toBe(metadata.name);
    await kubectl.run("wait", "job/evicted", "--for=jsonpath={.status.active}=1", "--timeout=60s");
    expect(await path("job/evicted", "{.status.failed}{.status.conditions}")).toBe("");
  });

  it("a resumed CronJob runs once, however many slots passed by (CJ-05)", async () => {
    await kubectl.apply(cronJob("resumed", "0 0 1 1 *", { suspend: true, timeZone: "Etc/UTC" }));
    const year = new Date().getUTCFullYear();
    const status = { lastScheduleTime: `${year - 4}-01-01T00:00:00Z` };
    await kubectl.run(
      ...["patch", "cronjob/resumed", "--subresource=status", "--type=merge", "-p", JSON.stringify({ status })],
    );
    expect(await path("cronjob/resumed", "{.status.active}")).toBe("");
    await kubectl.run("patch", "cronjob/resumed", "-p", '{"spec":{"suspend":false}}');
    const slot = `${year}-01-01T00:00:00Z`;
    await kubectl.run("wait", "cronjob/resumed", `--for=jsonpath={.status.lastScheduleTime}=${slot}`, "--timeout=60s");
    expect(await path("cronjob/resumed", "{.status.active[*].name}")).toBe(`resumed-${Date.parse(slot) / 60_000}`);
    expect(await kubectl.run("get", "cronjob/resumed", "--no-headers")).toMatch(
      /^resumed +0 0 1 1 \* +Etc\/UTC +False +1 +\S+ +\S+\n$/,
    );
  });

  it("skips a slot that is older than its deadline (CJ-06)", async () => {
    await kubectl.apply(cronJob("strict", "0 0 1 1 *", { suspend: true, startingDeadlineSeconds: 10 }));
    const status = { lastScheduleTime: "2019-01-01T00:00:00Z" };
    await kubectl.run(
      ...["patch", "cronjob/strict", "--subresource=status", "--type=merge", "-p", JSON.stringify({ status })],
    );
    await kubectl.run("patch", "cronjob/strict", "-p", '{"spec":{"suspend":false}}');
    // One that comes after it and has no deadline runs: by then the controller has looked at both.
    await kubectl.apply(cronJob("lax", "0 0 1 1 *"));
    await kubectl.run(
      ...["patch", "cronjob/lax", "--subresource=status", "--type=merge", "-p", JSON.stringify({ status })],
    );
    await waitFor("the lax one to run", () => path("cronjob/lax", "{.status.active[*].name}"));
    expect(await path("cronjob/strict", "{.status.active}")).toBe("");
    await kubectl.run("patch", "cronjob/strict", "--type=merge", "-p", '{"spec":{"startingDeadlineSeconds":null}}');
    await waitFor("the strict one to run", () => path("cronjob/strict", "{.status.active[*].name}"));
  });

  it("tells of more than a hundred missed slots, and runs all the same (CJ-09)", async () => {
    await kubectl.apply(cronJob("missed", "* * * * *", { suspend: true }));
    const status = { lastScheduleTime: "2024-03-01T00:30:00Z" };
    await kubectl.run(
      ...["patch", "cronjob/missed", "--subresource=status", "--type=merge", "-p", JSON.stringify({ status })],
    );
    await kubectl.run("patch", "cronjob/missed", "-p", '{"spec":{"suspend":false}}');
    await waitFor("its Job", () => path("cronjob/missed", "{.status.active[*].name}"));
    await kubectl.run("patch", "cronjob/missed", "-p", '{"spec":{"suspend":true}}');
    const events = await kubectl.run("events", "--for", "cronjob/missed");
    expect(events).toMatch(
      /Warning +TooManyMissedTimes +CronJob\/missed +too many missed start times\. Set or decrease \.spec\.startingDeadlineSeconds or check clock skew\n/,
    );
    expect(events).toMatch(/Normal +SuccessfulCreate +CronJob\/missed +Created job missed-\d{8}\n/);
  });
}
