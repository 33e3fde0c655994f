import { z } from "zod";
import type { IdMapping } from "../cri/index.ts";

const id = z.int().min(0).max(0xffffffff);
const mapping = z.object({ hostId: id, containerId: id, length: id });
const schema = z.object({ uidMappings: z.array(mapping), gidMappings: z.array(mapping) });

/** The kubelet's own form, in the file `userns` of the pod's directory. Users and groups are mapped alike. */
export function renderMappings(from: number, length: number): string {
  const mapping: IdMapping = { hostId: from, containerId: 0, length };
  return JSON.stringify({ uidMappings: [mapping], gidMappings: [mapping] });
}

/** @throws Error in upstream's words unless it is one range that begins with root */
export function parseMappings(text: string): { from: number; length: number } {
  const refuse = (why: string) => new Error(`invalid user namespace ${why}`);
  const parsed = schema.safeParse(readJson(text));
  if (!parsed.success) throw refuse(`mappings file: ${z.prettifyError(parsed.error)}`);
  const { uidMappings, gidMappings } = parsed.data;
  const [users] = uidMappings;
  const [groups] = gidMappings;
  if (uidMappings.length !== 1 || !users) throw refuse("configuration: no more than one mapping allowed.");
  if (gidMappings.length !== 1 || !groups) throw refuse("configuration: GID and UID mappings should be identical.");
  if (users.hostId !== groups.hostId || users.length !== groups.length || users.containerId !== groups.containerId) {
    throw refuse("configuration: GID and UID mapping should be identical");
  }
  if (users.containerId !== 0) throw refuse("configuration: UID 0 must be mapped");
  return { from: users.hostId, length: users.length };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`invalid user namespace mappings file: ${(error as Error).message}`);
  }
}
