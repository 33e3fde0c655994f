import type {
  ControllerRevision,
  CronJob,
  DaemonSet,
  Deployment,
  V2HorizontalPodAutoscaler as HorizontalPodAutoscaler,
  Job,
  PodDisruptionBudget,
  ReplicaSet,
  Scale,
  StatefulSet,
} from "../../../shared/api/types.ts";
import { AGE, CONTAINERS, fieldColumn, IMAGES, NAME, type TableKind, textColumn, wide } from "./column.ts";
import { humanDuration, since } from "./duration.ts";
import { containerImages, containerNames, formatLabels, formatSelector, renderSelector } from "./format.ts";

type MetricSpec = NonNullable<HorizontalPodAutoscaler["spec"]["metrics"]>[number];
type MetricStatus = NonNullable<NonNullable<HorizontalPodAutoscaler["status"]>["currentMetrics"]>[number];

const INTEGER = { type: "integer" } as const;

export const DEPLOYMENT_TABLE: TableKind<Deployment> = {
  columns: [
    NAME,
    textColumn("Ready", "Number of the pod with ready state"),
    fieldColumn("Up-to-date", "apps.v1.DeploymentStatus.updatedReplicas"),
    fieldColumn("Available", "apps.v1.DeploymentStatus.availableReplicas"),
    AGE,
    CONTAINERS,
    IMAGES,
    wide(
      textColumn(
        "Selector",
        "Label selector for pods. Existing ReplicaSets whose pods are selected by this will be the ones affected by this deployment. It must match the pod template's labels.",
      ),
    ),
  ],
  cells: ({ metadata, spec, status }, nowMs) => [
    metadata.name,
    `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`,
    status?.updatedReplicas ?? 0,
    status?.availableReplicas ?? 0,
    since(metadata.creationTimestamp, nowMs),
    containerNames(spec?.template?.spec?.containers),
    containerImages(spec?.template?.spec?.containers),
    renderSelector(spec?.selector),
  ],
};

export const REPLICA_SET_TABLE: TableKind<ReplicaSet> = {
  columns: [
    NAME,
    fieldColumn("Desired", "apps.v1.ReplicaSetSpec.replicas", INTEGER),
    fieldColumn("Current", "apps.v1.ReplicaSetStatus.replicas", INTEGER),
    fieldColumn("Ready", "apps.v1.ReplicaSetStatus.readyReplicas", INTEGER),
    AGE,
    CONTAINERS,
    IMAGES,
    wide(
      textColumn(
        "Selector",
        "Selector is a label query over pods that should match the replica count. Label keys and values that must match in order to be controlled by this replica set. It must match the pod template's labels. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors",
      ),
    ),
  ],
  cells: ({ metadata, spec, status }, nowMs) => [
    metadata.name,
    spec?.replicas ?? 0,
    status?.replicas ?? 0,
    status?.readyReplicas ?? 0,
    since(metadata.creationTimestamp, nowMs),
    containerNames(spec?.template?.spec?.containers),
    containerImages(spec?.template?.spec?.containers),
    formatSelector(spec?.selector),
  ],
};

export const STATEFUL_SET_TABLE: TableKind<StatefulSet> = {
  columns: [NAME, textColumn("Ready", "Number of the pod with ready state"), AGE, CONTAINERS, IMAGES],
  cells: ({ metadata, spec, status }, nowMs) => [
    metadata.name,
    `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`,
    since(metadata.creationTimestamp, nowMs),
    containerNames(spec?.template?.spec?.containers),
    containerImages(spec?.template?.spec?.containers),
  ],
};

export const DAEMON_SET_TABLE: TableKind<DaemonSet> = {
  columns: [
    NAME,
    fieldColumn("Desired", "apps.v1.DaemonSetStatus.desiredNumberScheduled", INTEGER),
    fieldColumn("Current", "apps.v1.DaemonSetStatus.currentNumberScheduled", INTEGER),
    fieldColumn("Ready", "apps.v1.DaemonSetStatus.numberReady", INTEGER),
    fieldColumn("Up-to-date", "apps.v1.DaemonSetStatus.updatedNumberScheduled", INTEGER),
    fieldColumn("Available", "apps.v1.DaemonSetStatus.numberAvailable", INTEGER),
    fieldColumn("Node Selector", "core.v1.PodSpec.nodeSelector"),
    AGE,
    CONTAINERS,
    IMAGES,
    wide(
      textColumn(
        "Selector",
        "A label query over pods that are managed by the daemon set. Must match in order to be controlled. It must match the pod template's labels. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors",
      ),
    ),
  ],
  cells: ({ metadata, spec, status }, nowMs) => [
    metadata.name,
    status?.desiredNumberScheduled ?? 0,
    status?.currentNumberScheduled ?? 0,
    status?.numberReady ?? 0,
    status?.updatedNumberScheduled ?? 0,
    status?.numberAvailable ?? 0,
    formatLabels(spec?.template?.spec?.nodeSelector),
    since(metadata.creationTimestamp, nowMs),
    containerNames(spec?.template?.spec?.containers),
    containerImages(spec?.template?.spec?.containers),
    formatSelector(spec?.selector),
  ],
};

export const CONTROLLER_REVISION_TABLE: TableKind<ControllerRevision> = {
  columns: [
    NAME,
    textColumn("Controller", "Controller of the object"),
    fieldColumn("Revision", "apps.v1.ControllerRevision.revision"),
    AGE,
  ],
  cells: ({ metadata, revision }, nowMs) => {
    const owner = metadata.ownerReferences?.find(({ controller }) => controller);
    const group = owner?.apiVersion.includes("/") ? `.${owner.apiVersion.split("/")[0]}` : "";
    return [
      metadata.name,
      owner ? `${`${owner.kind}${group}`.toLowerCase()}/${owner.name}` : "<none>",
      revision ?? 0,
      since(metadata.creationTimestamp, nowMs),
    ];
  },
};

/** The first of these conditions that is true names the job's state; a deletion shows before the last three. */
const JOB_FINISHED: [string, string][] = [
  ["Complete", "Complete"],
  ["Failed", "Failed"],
];
const JOB_UNDER_WAY = ["Suspended", "FailureTarget", "SuccessCriteriaMet"];

function jobStatus({ metadata, status }: Job): string {
  const isTrue = (type: string) => status?.conditions?.find((condition) => condition.type === type)?.status === "True";
  const finished = JOB_FINISHED.find(([type]) => isTrue(type));
  if (finished) return finished[1];
  if (metadata.deletionTimestamp) return "Terminating";
  return JOB_UNDER_WAY.find(isTrue) ?? "Running";
}

function jobCompletions({ spec, status }: Job): string {
  const succeeded = status?.succeeded ?? 0;
  if (spec?.completions !== undefined) return `${succeeded}/${spec.completions}`;
  const parallelism = spec?.parallelism ?? 0;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function jobDuration({ status }: Job, nowMs: number): string {
  if (!status?.startTime) return "";
  const endMs = status.completionTime ? Date.parse(status.completionTime) : nowMs;
  return humanDuration(endMs - Date.parse(status.startTime));
}

export const JOB_TABLE: TableKind<Job> = {
  columns: [
    NAME,
    textColumn("Status", "Status of the job."),
    fieldColumn("Completions", "batch.v1.JobStatus.succeeded"),
    textColumn("Duration", "Time required to complete the job."),
    AGE,
    CONTAINERS,
    IMAGES,
    wide(
      textColumn(
        "Selector",
        "A label query over pods that should match the pod count. Normally, the system sets this field for you. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors",
      ),
    ),
  ],
  cells: (job, nowMs) => [
    job.metadata.name,
    jobStatus(job),
    jobCompletions(job),
    jobDuration(job, nowMs),
    since(job.metadata.creationTimestamp, nowMs),
    containerNames(job.spec?.template?.spec?.containers),
    containerImages(job.spec?.template?.spec?.containers),
    formatSelector(job.spec?.selector),
  ],
};

const printBool = (value: boolean | undefined) => (value === undefined ? "<unset>" : value ? "True" : "False");

export const CRON_JOB_TABLE: TableKind<CronJob> = {
  columns: [
    NAME,
    fieldColumn("Schedule", "batch.v1.CronJobSpec.schedule"),
    fieldColumn("Timezone", "batch.v1.CronJobSpec.timeZone"),
    fieldColumn("Suspend", "batch.v1.CronJobSpec.suspend", { type: "boolean" }),
    fieldColumn("Active", "batch.v1.CronJobStatus.active", INTEGER),
    fieldColumn("Last Schedule", "batch.v1.CronJobStatus.lastScheduleTime"),
    AGE,
    CONTAINERS,
    IMAGES,
    wide(
      textColumn(
        "Selector",
        "A label query over pods that should match the pod count. Normally, the system sets this field for you. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors",
      ),
    ),
  ],
  cells: ({ metadata, spec, status }, nowMs) => {
    const jobSpec = spec?.jobTemplate?.spec;
    return [
      metadata.name,
      spec?.schedule ?? "",
      spec?.timeZone ?? "<none>",
      printBool(spec?.suspend),
      status?.active?.length ?? 0,
      status?.lastScheduleTime ? since(status.lastScheduleTime, nowMs) : "<none>",
      since(metadata.creationTimestamp, nowMs),
      containerNames(jobSpec?.template?.spec?.containers),
      containerImages(jobSpec?.template?.spec?.containers),
      formatSelector(jobSpec?.selector),
    ];
  },
};

/** `current/target`, with "(avg)" for averages of object and external metrics. */
function formatMetric(spec: MetricSpec, status: MetricStatus | undefined): string {
  switch (spec.type) {
    case "External":
    case "Object": {
      const target = (spec.external ?? spec.object)?.target;
      const current = (status?.external ?? status?.object)?.current;
      if (target?.averageValue !== undefined) {
        return `${current?.averageValue ?? "<unknown>"}/${target.averageValue} (avg)`;
      }
      return `${current ? (current.value ?? "0") : "<unknown>"}/${target?.value ?? "0"}`;
    }
    case "Pods":
      return `${status?.pods?.current?.averageValue ?? "<unknown>"}/${spec.pods?.target?.averageValue ?? "0"}`;
    case "Resource":
    case "ContainerResource": {
      const source = spec.resource ?? spec.containerResource;
      const current = (status?.resource ?? status?.containerResource)?.current;
      if (source?.target?.averageValue !== undefined) {
        return `${source.name}: ${current?.averageValue ?? "<unknown>"}/${source.target.averageValue}`;
      }
      const percent = (value: number | undefined, none: string) => (value === undefined ? none : `${value}%`);
      const now = percent(current?.averageUtilization, "<unknown>");
      return `${source?.name}: ${now}/${percent(source?.target?.averageUtilization, "<auto>")}`;
    }
    default:
      return "<unknown type>";
  }
}

function formatMetrics(specs: MetricSpec[], statuses: MetricStatus[]): string {
  if (specs.length === 0) return "<none>";
  const texts = specs.map((spec, index) => formatMetric(spec, statuses[index]));
  const shown = texts.slice(0, 2).join(", ");
  return texts.length > 2 ? `${shown} + ${texts.length - 2} more...` : shown;
}

export const HORIZONTAL_POD_AUTOSCALER_TABLE: TableKind<HorizontalPodAutoscaler> = {
  columns: [
    NAME,
    textColumn(
      "Reference",
      "scaleTargetRef points to the target resource to scale, and is used to the pods for which metrics should be collected, as well as to actually change the replica count.",
    ),
    fieldColumn("Targets", "autoscaling.v2.HorizontalPodAutoscalerSpec.metrics"),
    fieldColumn("MinPods", "autoscaling.v2.HorizontalPodAutoscalerSpec.minReplicas"),
    fieldColumn("MaxPods", "autoscaling.v2.HorizontalPodAutoscalerSpec.maxReplicas"),
    fieldColumn("Replicas", "autoscaling.v2.HorizontalPodAutoscalerStatus.currentReplicas"),
    AGE,
  ],
  cells: ({ metadata, spec, status }, nowMs) => [
    metadata.name,
    `${spec?.scaleTargetRef?.kind ?? ""}/${spec?.scaleTargetRef?.name ?? ""}`,
    formatMetrics(spec?.metrics ?? [], status?.currentMetrics ?? []),
    spec?.minReplicas === undefined ? "<unset>" : String(spec.minReplicas),
    spec?.maxReplicas ?? 0,
    status?.currentReplicas ?? 0,
    since(metadata.creationTimestamp, nowMs),
  ],
};

export const POD_DISRUPTION_BUDGET_TABLE: TableKind<PodDisruptionBudget> = {
  columns: [
    NAME,
    textColumn("Min Available", "The minimum number of pods that must be available."),
    textColumn("Max Unavailable", "The maximum number of pods that may be unavailable."),
    textColumn("Allowed Disruptions", "Calculated number of pods that may be disrupted at this time.", INTEGER),
    AGE,
  ],
  cells: ({ metadata, spec, status }, nowMs) => [
    metadata.name,
    String(spec?.minAvailable ?? "N/A"),
    String(spec?.maxUnavailable ?? "N/A"),
    status?.disruptionsAllowed ?? 0,
    since(metadata.creationTimestamp, nowMs),
  ],
};

export const SCALE_TABLE: TableKind<Scale> = {
  columns: [
    { ...NAME, format: "" },
    fieldColumn("Desired", "autoscaling.v1.ScaleSpec.replicas", INTEGER),
    fieldColumn("Available", "autoscaling.v1.ScaleStatus.replicas", INTEGER),
    AGE,
  ],
  cells: ({ metadata, spec, status }, nowMs) => [
    metadata.name,
    spec?.replicas ?? 0,
    status?.replicas ?? 0,
    since(metadata.creationTimestamp, nowMs),
  ],
};
