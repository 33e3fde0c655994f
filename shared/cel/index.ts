/**
 * CEL, the expression language of Kubernetes: a grammar shared by those who check expressions and the evaluator, which
 * counts its steps, so that nobody's expression keeps others waiting. It knows no types before it runs: what does not
 * go together fails then.
 */

export { type CelProgram, type CelSteps, parseExpression } from "./evaluate.ts";
export { semverOf } from "./functions/quantities.ts";
export { parsePattern } from "./pattern.ts";
export { parseSemver } from "./semver.ts";
export { type Node, parseTokens, qualifiedName } from "./syntax.ts";
export { type Failure, type Token, tokensOf } from "./tokens.ts";
export { CelDefaultMap, CelError, CelQuantity, type CelValue } from "./values.ts";
