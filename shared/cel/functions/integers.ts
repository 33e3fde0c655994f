import { CelError, CelUint } from "../values.ts";

const MIN_INT = -(2n ** 63n);
export const MAX_INT = 2n ** 63n - 1n;
const MAX_UINT = 2n ** 64n - 1n;

/** @throws CelError if an int cannot hold it */
export function intOf(value: bigint): bigint {
  if (value < MIN_INT || value > MAX_INT) throw new CelError("integer overflow");
  return value;
}

/** @throws CelError if a uint cannot hold it */
export function uintOf(value: bigint): CelUint {
  if (value < 0n || value > MAX_UINT) throw new CelError("unsigned integer overflow");
  return new CelUint(value);
}
