import { DEVICE_CLASSES, RESOURCE_CLAIMS, RESOURCE_SLICES } from "../../shared/api/refs.ts";
import type { DeviceClass, ResourceClaim, ResourceSlice } from "../../shared/api/types.ts";
import type { ControllerDeps, Informer } from "../runtime/index.ts";
import { type Allocation, type Devices, exclusiveDevices } from "./devices/index.ts";

/** Devices as the caches have them, with those that were just chosen. */
export class CachedDevices implements Devices {
  readonly #claims: Informer<ResourceClaim>;
  readonly #classes: Informer<DeviceClass>;
  readonly #slices: Informer<ResourceSlice>;
  /** By the claim's uid; until its claim says so itself. */
  readonly #chosen = new Map<string, Allocation>();
  #allocated: ReadonlySet<string> | undefined;

  constructor({ informer }: Pick<ControllerDeps, "informer">) {
    this.#claims = informer<ResourceClaim>(RESOURCE_CLAIMS);
    this.#classes = informer<DeviceClass>(DEVICE_CLASSES);
    this.#slices = informer<ResourceSlice>(RESOURCE_SLICES);
  }

  /** Tells of what may let pods that wait for devices fit. */
  onChange(changed: () => void): void {
    this.#claims.onEvent(({ type, object, old }) => {
      this.#allocated = undefined;
      if (type === "deleted" || object.status?.allocation) this.#chosen.delete(object.metadata.uid!);
      // A driver's finalizer or the like lets nobody in.
      const isSame = type === "updated" && JSON.stringify(old?.status) === JSON.stringify(object.status);
      if (!isSame) changed();
    });
    this.#classes.onEvent(({ type }) => type !== "deleted" && changed());
    this.#slices.onEvent(({ type }) => type !== "deleted" && changed());
  }

  /** Keeps devices for a claim from now on. */
  choose(uid: string, allocation: Allocation): void {
    this.#chosen.set(uid, allocation);
    this.#allocated = undefined;
  }

  /** The claim does not get them after all. */
  giveUp(uid: string): void {
    if (this.#chosen.delete(uid)) this.#allocated = undefined;
  }

  claim(namespace: string, name: string) {
    return this.#claims.get(`${namespace}/${name}`);
  }

  deviceClass(name: string) {
    return this.#classes.get(name);
  }

  slices() {
    return this.#slices.list();
  }

  isBeingAllocated(uid: string) {
    return this.#chosen.has(uid);
  }

  allocated() {
    if (this.#allocated) return this.#allocated;
    const allocations = this.#claims.list().flatMap(({ status }) => status?.allocation ?? []);
    this.#allocated = new Set([...allocations, ...this.#chosen.values()].flatMap(exclusiveDevices));
    return this.#allocated;
  }
}
