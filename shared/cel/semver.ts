/** A version by semver.org 2.0.0; numbers are bigints, for they have no bound. */
export interface Semver {
  numbers: readonly [major: bigint, minor: bigint, patch: bigint];
  /** Identifiers before a release; what was built says nothing about the order. */
  prerelease: readonly string[];
}

const MAX_LENGTH = 256;
const SHAPE =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;

/** @returns undefined if it is no version */
export function parseSemver(text: string): Semver | undefined {
  const found = text.length > MAX_LENGTH ? null : SHAPE.exec(text);
  if (!found) return undefined;
  const prerelease = found[4]?.split(".") ?? [];
  if (prerelease.some((part) => /^0\d+$/.test(part))) return undefined;
  return { numbers: [BigInt(found[1]!), BigInt(found[2]!), BigInt(found[3]!)], prerelease };
}

export function compareSemvers(a: Semver, b: Semver): number {
  for (let i = 0; i < 3; i++) {
    const [left, right] = [a.numbers[i]!, b.numbers[i]!];
    if (left !== right) return left < right ? -1 : 1;
  }
  if (a.prerelease.length === 0 || b.prerelease.length === 0) {
    return Math.sign(b.prerelease.length - a.prerelease.length);
  }
  for (let i = 0; i < Math.min(a.prerelease.length, b.prerelease.length); i++) {
    const difference = compareIdentifiers(a.prerelease[i]!, b.prerelease[i]!);
    if (difference !== 0) return difference;
  }
  return Math.sign(a.prerelease.length - b.prerelease.length);
}

/** Numbers by value, and before texts. */
function compareIdentifiers(a: string, b: string): number {
  const [isNumberA, isNumberB] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (isNumberA !== isNumberB) return isNumberA ? -1 : 1;
  if (isNumberA) return BigInt(a) < BigInt(b) ? -1 : BigInt(a) > BigInt(b) ? 1 : 0;
  return a < b ? -1 : a > b ? 1 : 0;
}
