/** Programs of the system that the agent makes its network with, run to their end or followed while they run. */
export { applyRuleset, listIfThere, runNft } from "./nft.ts";
export { followProgram, runProgram } from "./run-program.ts";
