/** What of the disk something takes. */
export interface DiskUsage {
  bytes: number;
  inodes: number;
}

export interface ContainerUsage {
  name: string;
  /** The working set: what the kernel cannot take back at once. */
  memoryBytes?: number;
  /** The writable layer. */
  rootfs?: DiskUsage;
  logs?: DiskUsage;
}

/** What a pod takes of the node, as far as it could be measured. */
export interface PodUsage {
  memoryBytes: number;
  processes: number;
  containers: ContainerUsage[];
  /** By volume: what lies on the node's disk, or in its memory. */
  volumes: ReadonlyMap<string, DiskUsage>;
  /** EVI-12: writable layers, logs, and volumes on the disk that live as long as the pod. */
  ephemeralBytes: number;
  ephemeralInodes: number;
}

export const NO_DISK: DiskUsage = { bytes: 0, inodes: 0 };

export const addDisk = (a: DiskUsage, b: DiskUsage = NO_DISK): DiskUsage => ({
  bytes: a.bytes + b.bytes,
  inodes: a.inodes + b.inodes,
});
