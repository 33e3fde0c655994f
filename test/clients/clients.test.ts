import { afterAll, beforeAll, describe } from "vitest";
import { OwnCluster } from "../harness/own-cluster.ts";
import { describeInformers } from "./informers.suite.ts";
import { describeApply } from "./kubectl-apply.suite.ts";
import { describeChanges } from "./kubectl-change.suite.ts";
import { describeCreate } from "./kubectl-create.suite.ts";
import { describeDelete } from "./kubectl-delete.suite.ts";
import { describeJobs } from "./kubectl-jobs.suite.ts";
import { describeRead } from "./kubectl-read.suite.ts";
import { describeRollout } from "./kubectl-rollout.suite.ts";
import { describeWorkloads } from "./kubectl-workloads.suite.ts";
import { describeObjects } from "./object-rows.suite.ts";
import { describeSlowWatcher } from "./slow-watcher.suite.ts";
import { describeWatchList } from "./watch-list.suite.ts";

// One cluster without nodes for all of them, each suite in a namespace of its own. The informers come last: their
// 10,000 objects and killed control planes would be in the others' way.
let cluster: OwnCluster;
const own = () => cluster;

beforeAll(async () => {
  cluster = await OwnCluster.prepare();
  await cluster.up("--no-node");
});

afterAll(() => cluster?.remove());

describe("kubectl reads", () => describeRead(own));
describe("kubectl creates", () => describeCreate(own));
describe("kubectl applies, diffs, replaces and edits", () => describeApply(own));
describe("kubectl patches, labels, scales and sets", () => describeChanges(own));
describe("kubectl rollout and wait", () => describeRollout(own));
describe("kubectl rolls out StatefulSets, DaemonSets and Deployments", () => describeWorkloads(own));
describe("kubectl runs Jobs and CronJobs", () => describeJobs(own));
describe("kubectl deletes", () => describeDelete(own));
describe("kubectl sees objects as the API promises them", () => describeObjects(own));
describe("a client that lists by watching", () => describeWatchList(own));
describe("a watcher that does not read", () => describeSlowWatcher(own));
describe("informers of @kubernetes/client-node", () => describeInformers(own));
