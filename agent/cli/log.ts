import type { Log } from "../log/index.ts";

const LEVELS = ["debug", "info", "warn", "error"] as const;

/** One line an event on standard output: time, level, message, the fields as JSON. HEARTH_LOG=debug shows all. */
export function stdoutLog(least: string = process.env["HEARTH_LOG"] ?? "info"): Log {
  const threshold = Math.max(0, LEVELS.indexOf(least as (typeof LEVELS)[number]));
  return (level, message, fields) => {
    if (LEVELS.indexOf(level) < threshold) return;
    const tail = fields && Object.keys(fields).length > 0 ? ` ${JSON.stringify(fields)}` : "";
    console.log(`${new Date().toISOString()} ${level} ${message}${tail}`);
  };
}
