/** One structured line per call; fields must be JSON values. */
export interface Log {
  info(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
}

/** Lines of JSON on the console, each with the given fields (the cluster's id, the controller's name). */
export function consoleLog(base: Record<string, unknown>): Log {
  return {
    info: (message, fields) => console.log(JSON.stringify({ level: "info", message, ...base, ...fields })),
    error: (message, fields) => console.error(JSON.stringify({ level: "error", message, ...base, ...fields })),
  };
}

export const silentLog: Log = { info() {}, error() {} };
