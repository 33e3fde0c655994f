/** One line for people and machines: what happened, and the values that tell which. */
export type Log = (
  level: "debug" | "info" | "warn" | "error",
  message: string,
  fields?: Record<string, unknown>,
) => void;

export const silentLog: Log = () => {};
