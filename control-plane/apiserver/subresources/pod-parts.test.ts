import { beforeAll, describe, expect, it } from "vitest";
import { testApi } from "../testing/api.ts";

const api = testApi();
const PODS = "/api/v1/namespaces/default/pods";
const STRATEGIC = "application/strategic-merge-patch+json";

beforeAll(async () => {
  await api.post("/api/v1/namespaces", { metadata: { name: "default" } });
  await api.post("/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "default" } });
});

async function makePod(name: string, resources: object = {}): Promise<void> {
  const { code } = await api.post(PODS, {
    metadata: { name, labels: { l: "0" } },
    spec: { automountServiceAccountToken: false, containers: [{ name: "main", image: "x:1", resources }] },
  });
  expect(code).toBe(201);
}

describe("ephemeral containers", () => {
  const change = (name: string, ...ephemeralContainers: object[]) =>
    api.patch(`${PODS}/${name}/ephemeralcontainers`, { spec: { ephemeralContainers } }, STRATEGIC);

  it.each([
    { name: "taken", container: { name: "main", image: "x" }, want: 'name: Duplicate value: "main"' },
    { name: "ports", container: { name: "d", image: "x", ports: [{ containerPort: 1 }] }, want: "ports: Forbidden" },
    { name: "target", container: { name: "d", image: "x", targetContainerName: "no" }, want: 'Not found: "no"' },
    { name: "noimage", container: { name: "d" }, want: "image: Required value" },
  ])("are checked: $name", async ({ name, container, want }) => {
    await makePod(name);
    const { code, body } = await change(name, container);
    expect(code).toBe(422);
    expect(body.message).toContain(want);
  });

  it("are added, and neither changed nor taken away", async () => {
    await makePod("fixed");
    expect((await change("fixed", { name: "dbg", image: "d:1" })).code).toBe(200);
    expect((await change("fixed", { name: "dbg", image: "d:2" })).body.message).toContain(
      '\n- "Image": "d:1",\n+ "Image": "d:2",',
    );
    const removed = await api.patch(`${PODS}/fixed/ephemeralcontainers`, { spec: { ephemeralContainers: [] } });
    expect(removed.body.message).toContain('existing ephemeral containers "dbg" may not be removed');
  });
});

describe("resize", () => {
  const resources = { requests: { cpu: "100m", memory: "64Mi" }, limits: { cpu: "200m", memory: "128Mi" } };
  const resize = (name: string, container: object) =>
    api.patch(`${PODS}/${name}/resize`, { spec: { containers: [{ name: "main", ...container }] } }, STRATEGIC);

  it.each([
    { name: "above", change: { requests: { cpu: "300m" } }, want: "must be less than or equal to cpu limit of 200m" },
    { name: "class", change: { requests: resources.limits }, want: "Pod QOS Class may not change" },
    {
      name: "other",
      change: { requests: { "ephemeral-storage": "1Gi" } },
      want: "only cpu and memory resources are mutable",
    },
    { name: "gone", change: { limits: { cpu: null } }, want: "resource limits cannot be removed" },
  ])("is refused: $name", async ({ name, change, want }) => {
    await makePod(name, resources);
    const { code, body } = await resize(name, { resources: change });
    expect(code).toBe(422);
    expect(body.message).toContain(want);
  });

  it("changes resources alone", async () => {
    await makePod("sized", resources);
    const { body } = await resize("sized", { image: "y:1", resources: { requests: { cpu: "150m" } } });
    expect(body).toMatchObject({
      metadata: { generation: 2 },
      spec: { containers: [{ image: "x:1", resources: { requests: { cpu: "150m", memory: "64Mi" } } }] },
    });
    const labelled = await api.patch(`${PODS}/sized/resize`, { metadata: { labels: { l: "1" } } });
    expect(labelled.body.metadata.labels).toEqual({ l: "0" });
  });
});
