import { expect, it } from "vitest";
import type { CriClient } from "./client.ts";
import { withFirstFamily } from "./first-family.ts";

const network = (...[ip = "", ...others]: string[]) => ({ ip, additionalIps: others.map((other) => ({ ip: other })) });

it.each([
  { family: 6 as const, told: network("10.244.1.2", "fd00::2"), want: network("fd00::2", "10.244.1.2") },
  { family: 6 as const, told: network("fd00::2", "10.244.1.2"), want: network("fd00::2", "10.244.1.2") },
  { family: 4 as const, told: network("fd00::2", "10.244.1.2"), want: network("10.244.1.2", "fd00::2") },
  { family: 6 as const, told: network("10.244.1.2"), want: network("10.244.1.2") },
  { family: 6 as const, told: network(), want: network() },
  { family: 6 as const, told: null, want: null },
])("IPv$family first of $told.ip", async ({ family, told, want }) => {
  const cri = { podSandboxStatus: async () => ({ status: { id: "s", network: told } }) } as unknown as CriClient;
  const { status } = await withFirstFamily(cri, family).podSandboxStatus("s");
  expect(status).toEqual({ id: "s", network: want });
});
