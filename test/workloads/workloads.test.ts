import { afterAll, beforeAll, describe } from "vitest";
import { OwnCluster } from "../harness/own-cluster.ts";
import { PlayedNodes } from "../harness/played-nodes.ts";
import { describeAutoscalers } from "./autoscalers.suite.ts";
import { describeBudgets } from "./budgets.suite.ts";
import { describeCluster } from "./cluster.suite.ts";
import { describeDeployments } from "./deployments.suite.ts";
import { describeJobs } from "./jobs.suite.ts";
import { describeStatefulSets } from "./statefulsets.suite.ts";
import { describeVolumes } from "./volumes.suite.ts";

// One cluster for all of them, each suite in a namespace of its own and all at a time: most of the time they wait.
let cluster: OwnCluster;
let nodes: PlayedNodes;
const own = () => cluster;

beforeAll(async () => {
  cluster = await OwnCluster.prepare();
  await cluster.up("--no-node");
  nodes = await PlayedNodes.start(cluster);
  await Promise.all(["worker-1", "worker-2"].map((name) => nodes.add(name)));
});

afterAll(async () => {
  await nodes?.stop();
  await cluster?.remove();
});

describe.concurrent("Deployments", () => describeDeployments(own));
describe.concurrent("Jobs and CronJobs", () => describeJobs(own));
describe.concurrent("PodDisruptionBudgets", () => describeBudgets(own, () => nodes));
describe.concurrent("HorizontalPodAutoscalers", () => describeAutoscalers(own));
describe.concurrent("the cluster", () => describeCluster(own, () => nodes));
describe.concurrent("StatefulSets", () => describeStatefulSets(own));
describe.concurrent("volumes", () => describeVolumes(own, () => nodes));
