/** What is wrong with the claim behind a volume: the volume was not even tried. */
export class ClaimError extends Error {}
