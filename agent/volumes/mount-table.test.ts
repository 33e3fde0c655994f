import { expect, it } from "vitest";
import { mountsIn } from "./mount-table.ts";

const MOUNTINFO = `22 1 8:1 / / rw - ext4 /dev/sda1 rw
40 22 0:31 / /srv/a rw - tmpfs tmpfs rw
41 40 0:32 / /srv/a/pods/x rw - tmpfs tmpfs rw
42 22 0:33 / /srv/ab rw - tmpfs tmpfs rw
43 41 0:34 / /srv/a/pods/x/with\\040space rw - tmpfs tmpfs rw
44 40 0:35 / /srv/a/pods/x rw - tmpfs tmpfs rw
`;

it("lists what is mounted below a directory, the deepest and the latest first", () => {
  expect(mountsIn(MOUNTINFO, "/srv/a")).toEqual([
    "/srv/a/pods/x/with space",
    "/srv/a/pods/x",
    "/srv/a/pods/x",
    "/srv/a",
  ]);
});

it("finds nothing where nothing is mounted", () => expect(mountsIn(MOUNTINFO, "/srv/abc")).toEqual([]));
