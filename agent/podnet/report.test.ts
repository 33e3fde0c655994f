import { describe, expect, it } from "vitest";
import type { Node } from "../../shared/api/types.ts";
import type { ApiClient } from "../../shared/client/api-client.ts";
import { PATHS_ANNOTATION } from "./paths-annotation.ts";
import { reportNetwork } from "./report.ts";

const NOW_MS = Date.parse("2026-11-30T10:00:00Z");
const PATHS = '{"b":"direct"}';
const KEY = "hearth.dev/wireguard";

const node = (annotations: Record<string, string>, isAvailable: boolean): Node => ({
  metadata: { name: "a", annotations },
  spec: {},
  status: { conditions: isAvailable ? [{ type: "NetworkUnavailable", status: "False" }] : [] },
});

/** What is patched: the annotations, and the conditions' types. */
async function patched(of: Node, report: Parameters<typeof reportNetwork>[2]): Promise<unknown[]> {
  const patches: unknown[] = [];
  const api = {
    patch: async (_ref: unknown, _key: unknown, _type: unknown, body: Node) => {
      patches.push(body.metadata?.annotations ?? body.status?.conditions?.map(({ type }) => type));
    },
  } as unknown as ApiClient;
  await reportNetwork(api, of, report, NOW_MS);
  return patches;
}

describe("what a node tells of its network", () => {
  it.each([
    {
      name: "a new node",
      of: node({}, false),
      report: { [PATHS_ANNOTATION]: PATHS },
      want: [{ [PATHS_ANNOTATION]: PATHS }, ["NetworkUnavailable"]],
    },
    {
      name: "nothing new",
      of: node({ [PATHS_ANNOTATION]: PATHS, [KEY]: "k" }, true),
      report: { [PATHS_ANNOTATION]: PATHS, [KEY]: "k" },
      want: [],
    },
    {
      name: "another key alone",
      of: node({ [PATHS_ANNOTATION]: PATHS, [KEY]: "k" }, true),
      report: { [PATHS_ANNOTATION]: PATHS, [KEY]: "l" },
      want: [{ [KEY]: "l" }],
    },
    {
      name: "no key any more",
      of: node({ [PATHS_ANNOTATION]: PATHS, [KEY]: "k" }, true),
      report: { [PATHS_ANNOTATION]: PATHS, [KEY]: undefined },
      want: [{ [KEY]: null }],
    },
    {
      name: "another's network: of that it says nothing",
      of: node({ [PATHS_ANNOTATION]: PATHS }, false),
      report: { [PATHS_ANNOTATION]: undefined },
      want: [{ [PATHS_ANNOTATION]: null }],
    },
  ])("$name", async ({ of, report, want }) => expect(await patched(of, report)).toEqual(want));
});
