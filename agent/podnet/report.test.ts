import { describe, expect, it } from "vitest";
import { forbidden } from "../../shared/api/status.ts";
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
async function patched(
  of: Node,
  report: Parameters<typeof reportNetwork>[2],
  answer: (annotations: object) => void = () => undefined,
): Promise<unknown[]> {
  const patches: unknown[] = [];
  const api = {
    patch: async (_ref: unknown, _key: unknown, _type: unknown, body: Node) => {
      answer(body.metadata?.annotations ?? {});
      patches.push(body.metadata?.annotations ?? body.status?.conditions?.map(({ type }) => type));
    },
  } as unknown as ApiClient;
  const { isKeyTaken } = await reportNetwork(api, of, report, NOW_MS);
  return isKeyTaken ? [...patches, "taken"] : patches;
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

  describe("with a key that another node has", () => {
    const report = { [PATHS_ANNOTATION]: PATHS, [KEY]: "k" };
    const refuse = (message: string) => (annotations: object) => {
      if (KEY in annotations) throw forbidden({ group: "", resource: "nodes" }, "a", message);
    };
    it("it tells all the rest", async () => {
      const why = 'node "a" is not allowed to publish the WireGuard public key of node "b"';
      expect(await patched(node({}, true), report, refuse(why))).toEqual([{ [PATHS_ANNOTATION]: PATHS }, "taken"]);
    });
    it("what else is refused says nothing of keys", async () => {
      await expect(patched(node({}, true), report, refuse("no access"))).rejects.toThrow("no access");
    });
  });
});
