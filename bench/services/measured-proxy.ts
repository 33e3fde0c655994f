import type { SERVERS } from "./objects.ts";

/** Something that keeps a node's rules as the Services are. */
export interface MeasuredProxy {
  /** Begins with all that there is; the rules come a while later. */
  start(): Promise<void>;
  /** Leads one Service's endpoints elsewhere. Settles when that was told, not when it is done. */
  change(index: number, lead: keyof typeof SERVERS): Promise<void>;
  residentBytes(): Promise<number>;
  stop(): Promise<void>;
}
