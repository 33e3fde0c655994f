import { expect, test } from "vitest";
import type { ObjectMeta } from "../../shared/api/object.ts";
import { fillSystemMetadata, wipeSystemMetadata } from "./object-metadata.ts";

const sent = (): ObjectMeta & { selfLink?: string } => ({
  name: "a",
  labels: { kept: "x" },
  uid: "theirs",
  creationTimestamp: "2020-01-01T00:00:00Z",
  deletionTimestamp: "2020-01-01T00:00:00Z",
  deletionGracePeriodSeconds: 5,
  selfLink: "/x",
});

test("a client cannot say what the server says of a new object", () => {
  const metadata = sent();
  wipeSystemMetadata(metadata);
  expect(metadata).toEqual({ name: "a", labels: { kept: "x" } });
});

test("the server's uid and time stand for what came", () => {
  const metadata = sent();
  fillSystemMetadata(metadata, { uid: "ours", nowMs: 0 });
  expect(metadata).toEqual({
    name: "a",
    labels: { kept: "x" },
    uid: "ours",
    creationTimestamp: "1970-01-01T00:00:00Z",
  });
});
