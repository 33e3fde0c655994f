import { afterAll, beforeAll, expect, it } from "vitest";
import type { Kubelet } from "../../agent/kubelet/index.ts";
import { SECRETS } from "../../shared/api/refs.ts";
import { waitFor } from "../harness/wait-for.ts";
import { testImages } from "../images/index.ts";
import { TestRegistry } from "../images/registry.ts";
import { NodeUnderTest } from "./node-under-test.ts";

let node: NodeUnderTest;
let kubelet: Kubelet;
let open: TestRegistry;
let guarded: TestRegistry;
const CREDENTIALS = { username: "u", password: "p" };

beforeAll(async () => {
  const busybox = testImages().find(({ name }) => name.includes("busybox"))!;
  open = await TestRegistry.start(busybox);
  guarded = await TestRegistry.start(busybox, CREDENTIALS);
  node = await NodeUnderTest.prepare();
  kubelet = await node.startKubelet();
});

afterAll(async () => {
  await kubelet?.stop();
  await node?.remove();
  open?.close();
  guarded?.close();
});

const sleeper = (image: string, imagePullPolicy = "IfNotPresent") => ({
  name: "main",
  image,
  imagePullPolicy,
  command: ["sh", "-c", "trap 'exit 0' TERM; sleep 3600 & wait"],
});

it("pulls what is missing, with upstream's events (EVT-02, EVT-04)", async () => {
  const image = `${open.host}/team/app:1`;
  await node.run("puller", { containers: [sleeper(image)] });
  await node.ready("puller");
  await waitFor("the events", () => node.events("puller").length >= 4);
  const events = node.events("puller");
  expect(events[0]).toBe(`Pulling Pulling image "${image}"`);
  expect(events[1]).toMatch(
    new RegExp(
      `^Pulled Successfully pulled image "${image}" in [0-9.]+m?s \\([0-9.]+m?s including waiting\\)\\. Image size: \\d+ bytes\\.$`,
    ),
  );
  expect(events.slice(2)).toEqual(["Created Container created", "Started Container started"]);
  expect(node.pod("puller")!.status!.containerStatuses).toMatchObject([
    { image, imageID: expect.stringContaining(`${open.host}/team/app@sha256:`) },
  ]);

  await node.run("second", { containers: [sleeper(image)] });
  await node.ready("second");
  expect(node.events("second")[0]).toContain("already present on machine");
  await node.run("always", { containers: [sleeper(image, "Always")] });
  await node.ready("always");
  expect(node.events("always")[0]).toBe(`Pulling Pulling image "${image}"`);
});

it("pulls an image by its digest, and not again what is there (POD-03)", async () => {
  const known = node.pod("puller")!.status!.containerStatuses![0]!.imageID;
  const digest = known.slice(known.indexOf("@"));
  const image = `${open.host}/team/other${digest}`;
  for (const [name, begins] of [
    ["by-digest", `Pulling Pulling image "${image}"`],
    ["by-digest-again", `Pulled Container image "${image}" already present on machine`],
  ] as const) {
    await node.run(name, { containers: [sleeper(image)] });
    await node.ready(name);
    expect(node.events(name)[0]).toContain(begins);
    expect(node.pod(name)!.status!.containerStatuses![0]!.imageID).toContain(digest);
  }
});

it("pulls with the pod's imagePullSecrets, and not without", async () => {
  const image = `${guarded.host}/team/secret:1`;
  await node.run("refused", { containers: [sleeper(image)] });
  await waitFor("the refusal", () =>
    node.events("refused").some((event) => event.startsWith("Failed Failed to pull image")),
  );
  const auths = { [guarded.host]: CREDENTIALS };
  await node.api.create(SECRETS, {
    metadata: { name: "registry", namespace: "default" },
    type: "kubernetes.io/dockerconfigjson",
    data: { ".dockerconfigjson": Buffer.from(JSON.stringify({ auths })).toString("base64") },
  });
  await node.run("allowed", { imagePullSecrets: [{ name: "registry" }], containers: [sleeper(image)] });
  await node.ready("allowed");
  expect(guarded.served.some((path) => path.includes("/manifests/"))).toBe(true);
});

it("what one pod has pulled with its secret is not for a pod without", async () => {
  const image = `${guarded.host}/team/secret:1`;
  await node.run("again", { imagePullSecrets: [{ name: "registry" }], containers: [sleeper(image)] });
  await node.ready("again");
  expect(node.events("again")[0]).toBe(
    `Pulled Container image "${image}" already present on machine and can be accessed by the pod`,
  );
  await node.run("guest", { containers: [sleeper(image)] });
  await waitFor("the refusal", () =>
    node
      .events("guest")
      .some((event) => event.startsWith(`Failed Failed to pull image "${image}": failed to pull and unpack`)),
  );
  await node.run("never", { containers: [sleeper(image, "Never")] });
  await waitFor("the refusal of the other", () =>
    node
      .events("never")
      .includes(`ErrImageNeverPull Container image "${image}" is not present with pull policy of Never`),
  );
  // The next agent knows it too.
  await kubelet.stop();
  kubelet = await node.startKubelet();
  await node.run("guest-again", { containers: [sleeper(image)] });
  await waitFor("the refusal", () => node.events("guest-again").some((event) => event.includes("ErrImagePull")));
});
