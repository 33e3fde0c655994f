import { parseQuantity } from "../../../shared/api/quantity.ts";
import type { V2HorizontalPodAutoscaler } from "../../../shared/api/types.ts";

/** A ratio this near to 1 changes nothing (upstream's flag --horizontal-pod-autoscaler-tolerance). */
const DEFAULT_TOLERANCE = 0.1;

/** How far usage may be from its target before anything is done, as parts of the target. */
export interface Tolerance {
  up: number;
  down: number;
}

export function toleranceOf({ spec }: V2HorizontalPodAutoscaler): Tolerance {
  const of = (text: string | undefined) =>
    text === undefined ? DEFAULT_TOLERANCE : Number(parseQuantity(text).nanos) / 1e9;
  return { up: of(spec.behavior?.scaleUp?.tolerance), down: of(spec.behavior?.scaleDown?.tolerance) };
}

export const isTolerated = (ratio: number, { up, down }: Tolerance): boolean => 1 - down <= ratio && ratio <= 1 + up;
