import { describe, expect, it } from "vitest";
import { aPod } from "../../../test/builders/kubelet.ts";
import { matchCredentials, missingPullSecrets } from "./pull-credentials.ts";

const secret = (auths: Record<string, object>) => ({
  metadata: { name: "s" },
  data: { ".dockerconfigjson": Buffer.from(JSON.stringify({ auths })).toString("base64") },
});

describe("matchCredentials", () => {
  it.each([
    { name: "a registry", server: "registry.example", image: "registry.example/a:1", fits: true },
    { name: "another registry", server: "registry.example", image: "other.example/a:1", fits: false },
    { name: "a port belongs to it", server: "registry.example:5000", image: "registry.example/a:1", fits: false },
    { name: "a path below", server: "registry.example/team", image: "registry.example/team/a:1", fits: true },
    { name: "another path", server: "registry.example/team", image: "registry.example/other/a", fits: false },
    { name: "a pattern for one part", server: "*.example", image: "registry.example/a", fits: true },
    { name: "a pattern is for one part only", server: "*.example", image: "a.b.example/a", fits: false },
    { name: "Docker Hub by its old address", server: "https://index.docker.io/v1/", image: "nginx:1.29", fits: true },
    { name: "Docker Hub by its name", server: "docker.io", image: "docker.io/library/nginx", fits: true },
  ])("$name", ({ server, image, fits }) => {
    expect(matchCredentials([secret({ [server]: { username: "u", password: "p" } })], image)).toHaveLength(
      fits ? 1 : 0,
    );
  });

  it("puts the closest match first", () => {
    const secrets = [secret({ "r.example": { username: "wide" }, "r.example/team": { username: "close" } })];
    expect(matchCredentials(secrets, "r.example/team/a").map(({ auth }) => auth.username)).toEqual(["close", "wide"]);
  });

  it("passes over what is no docker config", () => {
    const broken = { metadata: { name: "s" }, data: { ".dockerconfigjson": Buffer.from("{").toString("base64") } };
    expect(matchCredentials([broken], "nginx")).toEqual([]);
  });
});

it("missingPullSecrets names each that cannot be had once, and passes over empty names", async () => {
  const imagePullSecrets = [{ name: "there" }, { name: "gone" }, {}, { name: "refused" }, { name: "gone" }];
  const objects = {
    secret: async (_pod: unknown, name: string) => {
      if (name === "refused") throw new Error("forbidden");
      return name === "there" ? { metadata: { name } } : undefined;
    },
  };
  expect(await missingPullSecrets(objects, aPod({ imagePullSecrets }))).toEqual(["gone", "refused"]);
});
