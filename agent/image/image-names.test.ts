import { describe, expect, it } from "vitest";
import { dockerImageNames, nameOciImages, normalizeImageName } from "./image-names.ts";

describe("normalizeImageName", () => {
  it.each([
    ["nginx", "docker.io/library/nginx:latest"],
    ["nginx:1.29", "docker.io/library/nginx:1.29"],
    ["team/app", "docker.io/team/app:latest"],
    ["localhost/app:1", "localhost/app:1"],
    ["registry.k8s.io/pause:3.10", "registry.k8s.io/pause:3.10"],
    ["127.0.0.1:5000/app", "127.0.0.1:5000/app:latest"],
    ["app@sha256:abc", "docker.io/library/app@sha256:abc"],
  ])("%s is %s", (name, want) => expect(normalizeImageName(name)).toBe(want));
});

const index = (...annotations: (Record<string, string> | undefined)[]) =>
  Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      manifests: annotations.map((own) => ({ digest: "sha256:1", annotations: own })),
    }),
  );

describe("nameOciImages", () => {
  it.each<{ title: string; annotations: Record<string, string>; want: string }>([
    {
      title: "takes the runtime's own annotation first",
      annotations: { "io.containerd.image.name": "nginx:1.29", "org.opencontainers.image.ref.name": "1.29" },
      want: "docker.io/library/nginx:1.29",
    },
    {
      title: "takes a full reference from the standard annotation",
      annotations: { "org.opencontainers.image.ref.name": "quay.io/a/b:2" },
      want: "quay.io/a/b:2",
    },
  ])("$title", ({ annotations, want }) => {
    const named = nameOciImages(index(annotations));
    expect(named.names).toEqual([want]);
    const { manifests } = JSON.parse(named.index.toString());
    expect(manifests[0]).toMatchObject({ digest: "sha256:1", annotations: { "io.containerd.image.name": want } });
  });

  it("takes a name from the user over all", () => {
    expect(nameOciImages(index(undefined), "mine:1").names).toEqual(["docker.io/library/mine:1"]);
  });

  it.each([
    { title: "no name", json: index(undefined), message: "--name" },
    { title: "only a tag", json: index({ "org.opencontainers.image.ref.name": "latest" }), message: "--name" },
    { title: "no manifests", json: Buffer.from('{"manifests":[]}'), message: "manifests" },
    { title: "no JSON", json: Buffer.from("<html>"), message: "JSON" },
  ])("refuses an index with $title", ({ json, message }) => {
    expect(() => nameOciImages(json)).toThrow(message);
  });

  it("refuses one name for several images", () => {
    expect(() => nameOciImages(index({}, {}), "x:1")).toThrow("several");
  });
});

describe("dockerImageNames", () => {
  it("lists every tag of every image", () => {
    const manifest = Buffer.from(JSON.stringify([{ RepoTags: ["a:1", "a:2"] }, { RepoTags: null }]));
    expect(dockerImageNames(manifest)).toEqual(["docker.io/library/a:1", "docker.io/library/a:2"]);
  });
});
