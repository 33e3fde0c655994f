import type { FilterPlugin, ScorePlugin } from "../framework/plugin.ts";
import { balancedAllocationOver } from "../plugins/balanced-allocation.ts";
import { FILTERS, SCORES } from "../plugins/index.ts";
import { affinityScore } from "../plugins/inter-pod-affinity-score.ts";
import { fitFilter } from "../plugins/node-resources-fit.ts";
import { spreadFilter } from "../plugins/pod-topology-spread.ts";
import { spreadScore } from "../plugins/pod-topology-spread-score.ts";
import { scoreByStrategy } from "../plugins/resource-scoring.ts";
import { type SpreadDefaults, SYSTEM_DEFAULTS } from "../plugins/spread-constraints.ts";
import type { PluginArgs, PluginSet, ProfileConfiguration, SchedulerConfiguration } from "./configuration.ts";

/** How pods of one `schedulerName` are scheduled. */
export interface Profile {
  schedulerName: string;
  filters: readonly FilterPlugin[];
  /** They look at the pod and the node alone: what an empty node would say does not change until the node does. */
  nodeFilters: readonly FilterPlugin[];
  scores: readonly ScorePlugin[];
  /** Whether pods may be evicted for others. */
  preempts: boolean;
  /** 0: by the rule. */
  percentageOfNodesToScore: number;
}

/** The profiles of a configuration, by the name of their scheduler. */
export function profilesOf(configuration: SchedulerConfiguration): Map<string, Profile> {
  const { profiles, percentageOfNodesToScore } = configuration;
  return new Map(profiles.map((one) => [one.schedulerName, profileOf(one, percentageOfNodesToScore)]));
}

function profileOf(configuration: ProfileConfiguration, percentage: number): Profile {
  const { schedulerName, plugins, pluginConfig, percentageOfNodesToScore = percentage } = configuration;
  const { filters, scores } = withArgs(pluginConfig);
  const { multiPoint, filter, score, postFilter } = plugins;
  const chosen = choose(filters, multiPoint, filter);
  return {
    schedulerName,
    filters: chosen,
    nodeFilters: chosen.filter((plugin) => "filter" in plugin),
    scores: choose(scores, multiPoint, score).map((plugin) => weighed(plugin, multiPoint, score)),
    preempts: choose([{ name: "DefaultPreemption" }], multiPoint, postFilter).length > 0,
    percentageOfNodesToScore,
  };
}

/** What is enabled at the point itself comes first, in that order; then all else that is not disabled. */
function choose<T extends { name: string }>(plugins: readonly T[], multiPoint: PluginSet, point: PluginSet): T[] {
  const isIn = (list: readonly string[], name: string) => list.includes(name) || list.includes("*");
  const names = (set: PluginSet) => set.enabled.map(({ name }) => name);
  const first = names(point).flatMap((name) => plugins.find((plugin) => plugin.name === name) ?? []);
  const byDefault = plugins.filter(({ name }) => !isIn(multiPoint.disabled, name));
  const again = names(multiPoint).flatMap((name) => plugins.find((plugin) => plugin.name === name) ?? []);
  const rest = [...new Set([...byDefault, ...again])].filter(
    (plugin) => !first.includes(plugin) && !isIn(point.disabled, plugin.name),
  );
  return [...new Set(first), ...rest];
}

/** A weight of 0 is none. */
function weighed(plugin: ScorePlugin, ...sets: PluginSet[]): ScorePlugin {
  const configured = sets.flatMap(({ enabled }) => enabled.filter(({ name }) => name === plugin.name));
  const weight = configured.at(-1)?.weight || (configured.length > 0 ? 1 : plugin.weight);
  return { ...plugin, weight };
}

function withArgs(args: PluginArgs): { filters: FilterPlugin[]; scores: ScorePlugin[] } {
  const { NodeResourcesFit: fit, NodeResourcesBalancedAllocation: balanced, InterPodAffinity: affinity } = args;
  const spread = args.PodTopologySpread && spreadDefaults(args.PodTopologySpread);
  const filters: FilterPlugin[] = [];
  const scores: ScorePlugin[] = [];
  if (fit) {
    const { ignoredResources, ignoredResourceGroups, scoringStrategy } = fit;
    const groupOf = (name: string) => name.slice(0, Math.max(0, name.indexOf("/")));
    filters.push(fitFilter((name) => ignoredResources.includes(name) || ignoredResourceGroups.includes(groupOf(name))));
    if (scoringStrategy) scores.push(scoreByStrategy(scoringStrategy));
  }
  if (balanced) scores.push(balancedAllocationOver(balanced.resources.map(({ name }) => name)));
  if (spread) {
    filters.push(spreadFilter(spread));
    scores.push(spreadScore(spread));
  }
  if (affinity) scores.push(affinityScore(affinity));
  const configured = <T extends { name: string }>(defaults: readonly T[], own: readonly T[]) =>
    defaults.map((plugin) => own.find(({ name }) => name === plugin.name) ?? plugin);
  return { filters: configured(FILTERS, filters), scores: configured(SCORES, scores) };
}

const spreadDefaults = (args: NonNullable<PluginArgs["PodTopologySpread"]>): SpreadDefaults =>
  args.defaultingType === "System" ? SYSTEM_DEFAULTS : { constraints: args.defaultConstraints, needsAllKeys: true };
