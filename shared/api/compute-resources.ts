/** What containers ask for and are limited to. */
export const COMPUTE_RESOURCES = ["cpu", "memory", "ephemeral-storage"];

/** The names under which quotas and limit ranges count them. */
export const COMPUTE_QUOTAS = [
  ...COMPUTE_RESOURCES,
  ...COMPUTE_RESOURCES.map((name) => `requests.${name}`),
  ...COMPUTE_RESOURCES.map((name) => `limits.${name}`),
];
