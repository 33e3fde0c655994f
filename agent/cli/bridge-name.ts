/** The bridge of this agent's pods; 15 characters are what Linux allows. */
export const bridgeName = (instance: string) => `hearth-${instance}`.slice(0, 15);
