import fc from "fast-check";
import { expect } from "vitest";
import { ApiError } from "../../shared/api/status.ts";

/** How a parser of what comes over a network is tried. */
export interface Trial {
  /** `<file>#<name>`, as it is exported. */
  parser: string;
  /** Runs it on one input made of the generator. */
  run(input: never): unknown;
  inputs: fc.Arbitrary<unknown>;
  /** The errors by which it may refuse. Without one it has to give something, always. */
  refuses?: abstract new (
    ...args: never[]
  ) => Error;
}

export const trial = <T>(
  parser: string,
  inputs: fc.Arbitrary<T>,
  run: (input: T) => unknown,
  refuses?: Trial["refuses"],
): Trial => ({ parser, inputs, run: run as Trial["run"], refuses });

/** One input may take so long on a busy machine; what grows with the square of its input takes longer. */
const LIMIT_MS = 5_000;

/** Whatever comes, the parser gives a value or refuses in its own way, soon. @throws Error that tells the input */
export function tryParser({ inputs, run, refuses }: Trial, { seed, times }: { seed: number; times: number }): void {
  fc.assert(
    fc.property(inputs, (input) => {
      const startMs = Date.now();
      try {
        run(input as never);
      } catch (error) {
        const isOwn = refuses !== undefined && error instanceof refuses;
        // A mistake of ours must not pass for a refusal where any Error may be one.
        if (!isOwn || error instanceof TypeError || isStackOverflow(error)) throw error;
        if (error instanceof ApiError) expect(error.status.code).toBeLessThan(500);
      }
      expect(Date.now() - startMs).toBeLessThan(LIMIT_MS);
    }),
    { seed, numRuns: times },
  );
}

const isStackOverflow = (error: unknown) => error instanceof Error && /call stack/.test(error.message);
