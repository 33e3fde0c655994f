import type { QuantityFormat } from "../../shared/api/quantity.ts";

/** Of what the node may run short. */
export const SIGNALS = [
  "memory.available",
  "allocatableMemory.available",
  "nodefs.available",
  "nodefs.inodesFree",
  "imagefs.available",
  "imagefs.inodesFree",
  "pid.available",
] as const;

export type Signal = (typeof SIGNALS)[number];

/** What an administrator may set a threshold for: memory of all pods together follows `memory.available`. */
export const CONFIGURABLE_SIGNALS = SIGNALS.filter((signal) => signal !== "allocatableMemory.available");

export const PRESSURES = ["MemoryPressure", "DiskPressure", "PIDPressure"] as const;
export type Pressure = (typeof PRESSURES)[number];

/** As the kubelet calls it in texts; `inodes` and `pids` are nobody's requests. */
export type StarvedResource = "memory" | "ephemeral-storage" | "inodes" | "pids";

interface SignalFacts {
  pressure: Pressure;
  resource: StarvedResource;
  /** How its amounts are printed. */
  format: QuantityFormat;
}

export const FACTS: Record<Signal, SignalFacts> = {
  "memory.available": { pressure: "MemoryPressure", resource: "memory", format: "BinarySI" },
  "allocatableMemory.available": { pressure: "MemoryPressure", resource: "memory", format: "BinarySI" },
  "nodefs.available": { pressure: "DiskPressure", resource: "ephemeral-storage", format: "BinarySI" },
  "nodefs.inodesFree": { pressure: "DiskPressure", resource: "inodes", format: "DecimalSI" },
  "imagefs.available": { pressure: "DiskPressure", resource: "ephemeral-storage", format: "BinarySI" },
  "imagefs.inodesFree": { pressure: "DiskPressure", resource: "inodes", format: "DecimalSI" },
  "pid.available": { pressure: "PIDPressure", resource: "pids", format: "DecimalSI" },
};

/** Bytes, inodes or processes. */
export interface Observation {
  available: number;
  capacity: number;
}

/** What cannot be measured is missing. */
export type Observations = Partial<Record<Signal, Observation>>;
