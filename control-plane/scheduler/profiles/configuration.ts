import { parse } from "yaml";
import { z } from "zod";
import { checkQualifiedName } from "../../../shared/api/names.ts";
import type { ConfigMap } from "../../../shared/api/types.ts";
import { messageOf } from "../../../shared/message-of.ts";
import { checkDepth } from "../../../shared/yaml-depth.ts";
import { FILTERS, SCORES } from "../plugins/index.ts";

/** `kube-system/hearth-scheduler`; without it all is as by default. */
export const CONFIG_MAP = { namespace: "kube-system", name: "hearth-scheduler" };
const KEY = "config.yaml";

/** A small text must not grow into a large object. */
const MAX_ALIASES = 100;
const MAX_PROFILES = 16;
const MAX_ENTRIES = 100;
/** Plugins that are always there, and have nothing to set. */
const FIXED = ["SchedulingGates", "PrioritySort", "DefaultPreemption", "DefaultBinder"];
const PLUGINS: ReadonlySet<string> = new Set([...FILTERS, ...SCORES].map(({ name }) => name).concat(FIXED));
/** What means something to upstream's process, and nothing here. */
const OF_THE_PROCESS = [
  "parallelism",
  "leaderElection",
  "clientConnection",
  "healthzBindAddress",
  "metricsBindAddress",
];
const PROFILING = ["enableProfiling", "enableContentionProfiling"];

const percentage = z.int().min(0).max(100);
const resourceName = z.string().refine((name) => checkQualifiedName(name).length === 0, "no name of a resource");
const resources = (weight: z.ZodType<number>) =>
  z
    .array(z.strictObject({ name: resourceName, weight: weight.default(1) }))
    .min(1)
    .max(MAX_ENTRIES)
    .default([
      { name: "cpu", weight: 1 },
      { name: "memory", weight: 1 },
    ]);

const shape = z
  .array(z.strictObject({ utilization: percentage, score: z.int().min(0).max(10) }))
  .min(1, "at least one point must be specified")
  .max(MAX_ENTRIES)
  .refine(
    (points) => points.every((point, i) => i === 0 || points[i - 1]!.utilization < point.utilization),
    "values must be sorted in increasing order",
  );

const weighed = resources(z.int().min(1).max(100));
const scoringStrategy = z
  .discriminatedUnion("type", [
    z.strictObject({ type: z.literal("LeastAllocated"), resources: weighed }),
    z.strictObject({ type: z.literal("MostAllocated"), resources: weighed }),
    z.strictObject({
      type: z.literal("RequestedToCapacityRatio"),
      resources: weighed,
      requestedToCapacityRatio: z.strictObject({ shape }),
    }),
  ])
  .transform((strategy) => {
    if (strategy.type !== "RequestedToCapacityRatio") return strategy;
    return { type: strategy.type, resources: strategy.resources, shape: strategy.requestedToCapacityRatio.shape };
  });

const defaultConstraint = z.strictObject({
  maxSkew: z.int().min(1),
  topologyKey: z.string().refine((key) => checkQualifiedName(key).length === 0, "no name of a label"),
  whenUnsatisfiable: z.enum(["DoNotSchedule", "ScheduleAnyway"]),
  minDomains: z.int().min(1).optional(),
  nodeAffinityPolicy: z.enum(["Honor", "Ignore"]).optional(),
  nodeTaintsPolicy: z.enum(["Honor", "Ignore"]).optional(),
});

/** By plugin; args of others are refused. */
const ARGS = {
  NodeResourcesFit: z.strictObject({
    ignoredResources: z.array(resourceName).max(MAX_ENTRIES).default([]),
    ignoredResourceGroups: z.array(z.string()).max(MAX_ENTRIES).default([]),
    scoringStrategy: scoringStrategy.optional(),
  }),
  NodeResourcesBalancedAllocation: z.strictObject({ resources: resources(z.int().min(1).max(1)) }),
  PodTopologySpread: z
    .strictObject({
      defaultConstraints: z.array(defaultConstraint).max(MAX_ENTRIES).default([]),
      defaultingType: z.enum(["System", "List"]).default("System"),
    })
    .refine(
      ({ defaultConstraints, defaultingType }) => defaultingType === "List" || defaultConstraints.length === 0,
      "defaultingType must be List when defaultConstraints are given",
    ),
  InterPodAffinity: z.strictObject({
    hardPodAffinityWeight: z.int().min(0).max(100).default(1),
    ignorePreferredTermsOfExistingPods: z.boolean().default(false),
  }),
};

export type PluginArgs = { [name in keyof typeof ARGS]?: z.output<(typeof ARGS)[name]> };

const pluginArgs = z
  .array(z.strictObject({ name: z.string(), args: z.looseObject({}).default({}) }))
  .max(MAX_ENTRIES)
  .default([])
  .transform((list, context): PluginArgs => {
    const read: Record<string, unknown> = {};
    list.forEach(({ name, args }, i) => {
      const { apiVersion: _apiVersion, kind: _kind, ...fields } = args;
      const path = [i, "args"];
      if (Object.hasOwn(read, name)) context.addIssue({ code: "custom", path, message: `${name} is there twice` });
      if (!Object.hasOwn(ARGS, name)) {
        context.addIssue({ code: "custom", path, message: `args of ${name} are not supported` });
        return;
      }
      const result = ARGS[name as keyof typeof ARGS].safeParse(fields);
      if (result.success) read[name] = result.data;
      else for (const issue of result.error.issues) context.addIssue({ ...issue, path: [...path, ...issue.path] });
    });
    return read;
  });

const pluginName = z.string().refine((name) => PLUGINS.has(name), "no such plugin");
const pluginSet = z
  .strictObject({
    enabled: z.array(z.strictObject({ name: pluginName, weight: z.int().min(0).optional() })).max(MAX_ENTRIES),
    disabled: z.array(z.strictObject({ name: z.literal("*").or(pluginName) })).max(MAX_ENTRIES),
  })
  .partial()
  .transform(({ enabled = [], disabled = [] }) => ({ enabled, disabled: disabled.map(({ name }) => name) }));

export type PluginSet = z.output<typeof pluginSet>;
const noPlugins: PluginSet = { enabled: [], disabled: [] };

const profile = z.strictObject({
  schedulerName: z.string().min(1).default("default-scheduler"),
  percentageOfNodesToScore: percentage.optional(),
  plugins: z
    .strictObject({
      multiPoint: pluginSet.default(noPlugins),
      filter: pluginSet.default(noPlugins),
      postFilter: pluginSet.default(noPlugins),
      score: pluginSet.default(noPlugins),
    })
    .default({ multiPoint: noPlugins, filter: noPlugins, postFilter: noPlugins, score: noPlugins }),
  pluginConfig: pluginArgs,
});

export type ProfileConfiguration = z.output<typeof profile>;

const seconds = z.int().min(1).max(3600);
const configuration = z
  .strictObject({
    apiVersion: z.literal("kubescheduler.config.k8s.io/v1"),
    kind: z.literal("KubeSchedulerConfiguration"),
    profiles: z
      .array(profile)
      .min(1)
      .max(MAX_PROFILES)
      .default([profile.parse({})]),
    percentageOfNodesToScore: percentage.default(0),
    podInitialBackoffSeconds: seconds.default(1),
    podMaxBackoffSeconds: seconds.default(10),
    extenders: z.array(z.unknown()).max(0, "extenders are not supported").optional(),
    ...Object.fromEntries([...OF_THE_PROCESS, ...PROFILING].map((field) => [field, z.unknown().optional()])),
  })
  .refine(
    ({ profiles }) => new Set(profiles.map(({ schedulerName }) => schedulerName)).size === profiles.length,
    "two profiles have one schedulerName",
  )
  .refine(
    ({ podInitialBackoffSeconds, podMaxBackoffSeconds }) => podInitialBackoffSeconds <= podMaxBackoffSeconds,
    "podMaxBackoffSeconds must be greater than or equal to podInitialBackoffSeconds",
  );

export type SchedulerConfiguration = Pick<
  z.output<typeof configuration>,
  "profiles" | "percentageOfNodesToScore" | "podInitialBackoffSeconds" | "podMaxBackoffSeconds"
>;

/**
 * Reads a KubeSchedulerConfiguration (v1) from `config.yaml` of the ConfigMap.
 * @param configMap undefined: there is none, and all is as by default
 * @throws Error that says what is wrong, also what is not supported: nothing of it is taken then
 */
export function parseSchedulerConfiguration(configMap: Pick<ConfigMap, "data"> | undefined): SchedulerConfiguration {
  const text = configMap?.data?.[KEY];
  if (configMap && text === undefined) throw new Error(`the ConfigMap has no ${KEY}`);
  const header = { apiVersion: "kubescheduler.config.k8s.io/v1", kind: "KubeSchedulerConfiguration" };
  const read = configuration.safeParse(text === undefined ? header : parseYaml(text));
  if (!read.success) throw new Error(z.prettifyError(read.error));
  return read.data;
}

function parseYaml(text: string): unknown {
  try {
    checkDepth(text);
    return parse(text, { maxAliasCount: MAX_ALIASES, logLevel: "error" });
  } catch (cause) {
    throw new Error(messageOf(cause), { cause });
  }
}
