import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Pod } from "../../shared/api/types.ts";
import type { Kubectl } from "../harness/kubectl.ts";
import type { OwnCluster } from "../harness/own-cluster.ts";
import { waitFor } from "../harness/wait-for.ts";
import { Workspace } from "./workspace.ts";

const REINDEX = `apiVersion: batch/v1
kind: Job
metadata:
  name: reindex
spec:
  completions: 8
  parallelism: 4
  completionMode: Indexed
  backoffLimitPerIndex: 2
  maxFailedIndexes: 3
  ttlSecondsAfterFinished: 3600
  podFailurePolicy:
    rules:
      - action: FailIndex
        onExitCodes: { containerName: reindex, operator: In, values: [42] }
      - action: Ignore
        onPodConditions: [{ type: DisruptionTarget }]
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: reindex
          image: registry.local/api:1.4.2
          args: ["reindex", "--shard=$(JOB_COMPLETION_INDEX)"]
`;

const report = (fields = "", schedule = "0 3 29 2 *") => `apiVersion: batch/v1
kind: CronJob
metadata:
  name: report
spec:
  schedule: "${schedule}"
  timeZone: Europe/Moscow
  concurrencyPolicy: Forbid
${fields}
  jobTemplate:
    spec:
      backoffLimit: 2
      template:
        spec:
          restartPolicy: Never
          containers:
            - name: report
              image: registry.local/api:1.4.2
              args: ["report", "daily"]
`;
/** 29 February 2024, 03:00 in Moscow: the last slot of the schedule above until 2028. */
const SLOT = { job: `report-${Date.parse("2024-02-29T00:00:00Z") / 60_000}`, time: "2024-02-29T03:00:00+03:00" };

/** Jobs and CronJobs on a cluster without nodes: the kubelet's part is played by writing pods' statuses. */
export function describeJobs(cluster: () => OwnCluster): void {
  let work: Workspace;
  let kubectl: Kubectl;

  beforeAll(async () => {
    work = await Workspace.create(cluster(), "jobs");
    kubectl = work.kubectl;
  });
  afterAll(() => work?.remove());

  const dryRun = (file: string, ...args: string[]) =>
    kubectl.finish(["apply", "--dry-run=server", "-f", work.write("dry-run.yaml", file), ...args]);
  const podsOf = (job: string) => kubectl.json<{ items: Pod[] }>("get", "pods", "-l", `job-name=${job}`);
  const end = (pod: string, status: unknown) =>
    kubectl.run("patch", "pod", pod, "--subresource=status", "--type=merge", "-p", JSON.stringify({ status }));
  const path = (what: string, jsonpath: string) => kubectl.run("get", what, "-o", `jsonpath=${jsonpath}`);
  const until = (what: string, jsonpath: string, wanted: string) =>
    waitFor(`${what} ${jsonpath} ${wanted}`, async () => (await path(what, jsonpath)) === wanted);

  it("reindex gets the defaults of its policies (JOB-04, JOB-05, JOB-06)", async () => {
    const { stdout } = await dryRun(
      REINDEX,
      "-o",
      'jsonpath={.spec.backoffLimit} {.spec.podReplacementPolicy} {.spec.completionMode}{"\\n"}',
    );
    expect(stdout).toBe("2147483647 Failed Indexed\n");
  });

  it("OnFailure goes with backoffLimitPerIndex, not with podFailurePolicy (JOB-07)", async () => {
    const onFailure = REINDEX.replace("restartPolicy: Never", "restartPolicy: OnFailure");
    expect((await dryRun(onFailure)).stderr).toContain(
      'spec.template.spec.restartPolicy: Invalid value: "OnFailure": only "Never" is supported when podFailurePolicy is specified',
    );
    const perIndexOnly = onFailure.replace(/ {2}podFailurePolicy:[\s\S]*?(?= {2}template:)/, "");
    expect((await dryRun(perIndexOnly)).stdout).toBe("job.batch/reindex created (server dry run)\n");
  });

  it("reindex runs four parts at once, each with its number, and gives up one for good (JOB-08, JOB-10, JOB-13)", async () => {
    await kubectl.run("apply", "-f", work.write("job.yaml", REINDEX));
    const indexOf = (pod: Pod) => pod.metadata.annotations?.["batch.kubernetes.io/job-completion-index"];
    const seen = new Map<string, string>();
    await waitFor("all parts to have ended", async () => {
      const { items } = await podsOf("reindex");
      const pending = items.filter(({ status }) => status?.phase === "Pending");
      expect(pending.length).toBeLessThanOrEqual(4);
      for (const pod of pending) {
        const index = indexOf(pod) ?? "";
        expect([pod.spec.hostname, seen.has(index)]).toEqual([`reindex-${index}`, false]);
        seen.set(index, pod.metadata.name);
        const terminated = { exitCode: 42, reason: "Error", finishedAt: new Date().toISOString() };
        const containerStatuses = [
          { name: "reindex", image: "i", imageID: "", ready: false, restartCount: 0, state: { terminated } },
        ];
        await end(pod.metadata.name, index === "5" ? { phase: "Failed", containerStatuses } : { phase: "Succeeded" });
      }
      return seen.size === 8;
    });
    await kubectl.run("wait", "job/reindex", "--for=condition=failed", "--timeout=60s");
    expect(await path("job/reindex", "{.status.completedIndexes} {.status.failedIndexes} {.status.failed}")).toBe(
      "0-4,6,7 5 1",
    );
    expect(await kubectl.run("get", "job/reindex", "--no-headers")).toMatch(/^reindex +Failed +7\/8 +/);
    const events = await kubectl.run("events", "--for", "job/reindex");
    expect(events).toMatch(/Warning +FailedIndexes +Job\/reindex +Job has failed indexes/);
    expect(events).toContain(`Created pod: ${seen.get("0")}`);
  });

  it("a finished Job goes with its pods after its TTL (JOB-12)", async () => {
    await kubectl.run("create", "job", "short", "--image=busybox");
    await kubectl.run("patch", "job/short", "--type=merge", "-p", '{"spec":{"ttlSecondsAfterFinished":0}}');
    const pod = await waitFor("its pod", async () => (await podsOf("short")).items[0]?.metadata.name);
    await end(pod, { phase: "Succeeded" });
    await kubectl.run("wait", "job/short", `pod/${pod}`, "--for=delete", "--timeout=60s");
  });

  describe("a CronJob", () => {
    it("report gets the defaults (CJ-01)", async () => {
      const { stdout } = await dryRun(
        report("  startingDeadlineSeconds: 600", "0 3 * * *"),
        "-o",
        'jsonpath={.spec.concurrencyPolicy} {.spec.successfulJobsHistoryLimit} {.spec.failedJobsHistoryLimit}{"\\n"}',
      );
      expect(stdout).toBe("Forbid 3 1\n");
    });

    it("is refused with a zone that is none, or one in its schedule (CJ-02, CJ-03)", async () => {
      expect((await dryRun(report().replace("Europe/Moscow", "MSK"))).stderr).toContain(
        'The CronJob "report" is invalid: spec.timeZone: Invalid value: "MSK": unknown time zone MSK',
      );
      expect((await dryRun(report("", "CRON_TZ=Europe/Moscow 0 3 * * *"))).stderr).toContain(
        "cannot use TZ or CRON_TZ in schedule, use timeZone field instead",
      );
    });

    it("runs the latest slot, in its zone, under the slot's name (CJ-04, CJ-08, CJ-10)", async () => {
      await kubectl.run("apply", "-f", work.write("cronjob.yaml", report()));
      const missed = JSON.stringify({ status: { lastScheduleTime: "2019-01-01T00:00:00Z" } });
      await kubectl.run("patch", "cronjob/report", "--subresource=status", "--type=merge", "-p", missed);
      await until("cronjob/report", "{.status.active[*].name}", SLOT.job);
      const columns =
        "NAME:.metadata.name,SLOT:.metadata.annotations.batch\\.kubernetes\\.io/cronjob-scheduled-timestamp";
      const table = await kubectl.run("get", "jobs", SLOT.job, "-o", `custom-columns=${columns}`);
      expect(
        table
          .split("\n")
          .slice(0, 2)
          .map((line) => line.split(/ +/)),
      ).toEqual([
        ["NAME", "SLOT"],
        [SLOT.job, SLOT.time],
      ]);
    });

    it("skips a slot while that Job runs, and tells when it is done (CJ-07, CJ-11)", async () => {
      // Another zone has other slots; the label makes the controller look at them at once.
      await kubectl.run("patch", "cronjob/report", "--type=merge", "-p", '{"spec":{"timeZone":"America/New_York"}}');
      await kubectl.run("label", "cronjob/report", "look=again");
      await waitFor("the event", async () =>
        /Normal +JobAlreadyActive +CronJob\/report +Not starting job because prior execution is running and concurrency policy is Forbid/.test(
          await kubectl.run("events", "--for", "cronjob/report"),
        ),
      );
      await kubectl.run("patch", "cronjob/report", "--type=merge", "-p", '{"spec":{"suspend":true}}');
      const pod = await waitFor("its pod", async () => (await podsOf(SLOT.job)).items[0]?.metadata.name);
      await end(pod, { phase: "Succeeded" });
      await kubectl.run("wait", `job/${SLOT.job}`, "--for=condition=complete", "--timeout=60s");
      const times = '{.status.lastScheduleTime} {.status.lastSuccessfulTime}{"\\n"}';
      const completed = await path(`job/${SLOT.job}`, "{.status.completionTime}");
      await until("cronjob/report", times, `2024-02-29T00:00:00Z ${completed}\n`);
      expect(await kubectl.run("events", "--for", "cronjob/report")).toContain(
        `Saw completed job: ${SLOT.job}, condition: Complete`,
      );
    });
  });
}
