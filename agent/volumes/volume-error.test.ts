import { expect, it } from "vitest";
import { ClaimError } from "./claim-error.ts";
import { describeFailures, VolumeError, type VolumeFailure } from "./volume-error.ts";

const failed = (volume: string, message: string): VolumeFailure => ({ volume, cause: new Error(message) });
const unbound = (volume: string, message: string): VolumeFailure => ({ volume, cause: new ClaimError(message) });

it.each<{ name: string; failures: VolumeFailure[]; want: string[] }>([
  {
    name: "each that was tried by itself",
    failures: [failed("b", "no b"), failed("a", "no a")],
    want: ['MountVolume.SetUp failed for volume "b" : no b', 'MountVolume.SetUp failed for volume "a" : no a'],
  },
  {
    name: "claims together, beside all that is missing",
    failures: [unbound("c", "no claim c"), failed("b", "no b"), unbound("a", "no claim a")],
    want: [
      'MountVolume.SetUp failed for volume "b" : no b',
      "Unable to attach or mount volumes: unmounted volumes=[a b c], unattached volumes=[], failed to process volumes=[a c]: no claim c; no claim a",
    ],
  },
])("tells $name", ({ failures, want }) => {
  expect(describeFailures(failures)).toEqual(want);
  expect(new VolumeError(failures)).toMatchObject({
    texts: want,
    volumes: failures.map(({ volume }) => volume).sort(),
  });
});
