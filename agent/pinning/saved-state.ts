import { z } from "zod";
import { type Assignments, parseCpuSet, printCpuSet } from "../cpumanager/index.ts";
import type { MemoryAssignments } from "../memorymanager/index.ts";

const byContainer = <Value extends z.ZodType>(value: Value) => z.record(z.string(), z.record(z.string(), value));
const cpusSchema = byContainer(z.string());
const memorySchema = byContainer(
  z.array(
    z.strictObject({
      nodes: z.array(z.int().min(0)),
      type: z.string(),
      sizeBytes: z.int().min(0),
    }),
  ),
);

const mapValues = <From, To>(record: Readonly<Record<string, From>>, change: (value: From) => To): Record<string, To> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));

export const printCpus = (assignments: Assignments): string =>
  JSON.stringify(mapValues(assignments, (containers) => mapValues(containers, printCpuSet)));

/** @throws Error if it is damaged */
export const parseCpus = (text: string | undefined): Assignments =>
  text === undefined
    ? {}
    : mapValues(cpusSchema.parse(JSON.parse(text)), (containers) => mapValues(containers, parseCpuSet));

export const printMemory = (assignments: MemoryAssignments): string => JSON.stringify(assignments);

/** @throws Error if it is damaged */
export const parseMemory = (text: string | undefined): MemoryAssignments =>
  text === undefined ? {} : memorySchema.parse(JSON.parse(text));
