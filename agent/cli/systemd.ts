import { execFileSync } from "node:child_process";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { agentCommand, agentEnvironment, compileAhead } from "../runtime/index.ts";
import { AgentError } from "./agent-error.ts";
import { DEFAULT_STATE_DIR } from "./node-config.ts";

const UNIT_DIR = "/etc/systemd/system";

/** sd_booted(3). */
export const isSystemdRunning = (): boolean => existsSync("/run/systemd/system");

/** Quotes as systemd.service(5) wants it; `%` starts a specifier, `$` a variable. */
const quote = (text: string) => quoteSetting(text).replaceAll("$", "$$$$");
/** In what is no command a `$` is itself. */
const quoteSetting = (text: string) => `"${text.replace(/["\\]/g, "\\$&").replaceAll("%", "%%")}"`;

/** Pods outlive the agent: KillMode=process ends it alone. */
export function renderUnit(command: string[], environment: Record<string, string>): string {
  const settings = Object.entries(environment).map(
    ([name, value]) => `Environment=${quoteSetting(`${name}=${value}`)}\n`,
  );
  return `[Unit]
Description=Hearth node agent
Documentation=file://${resolve(import.meta.dirname, "../../docs")}
Wants=network-online.target
After=network-online.target containerd.service

[Service]
${settings.join("")}ExecStart=${command.map(quote).join(" ")}
Restart=always
RestartSec=2
KillMode=process
Delegate=yes
OOMScoreAdjust=-999
LimitNOFILE=1048576

[Install]
WantedBy=multi-user.target
`;
}

const unitName = (stateDir: string, instance: string) =>
  stateDir === DEFAULT_STATE_DIR ? "hearth-agent.service" : `hearth-agent-${instance}.service`;

/** Ends the unit and takes it away. @returns its name; undefined if there is none @throws AgentError if systemd refuses */
export function removeService(stateDir: string, instance: string): string | undefined {
  const unit = unitName(stateDir, instance);
  const path = join(UNIT_DIR, unit);
  if (!existsSync(path)) return undefined;
  try {
    if (isSystemdRunning()) execFileSync("systemctl", ["disable", "--now", unit], { stdio: "pipe" });
    rmSync(path);
    if (isSystemdRunning()) execFileSync("systemctl", ["daemon-reload"], { stdio: "pipe" });
  } catch (cause) {
    throw new AgentError(`${unit} could not be ended: ${(cause as Error).message}`);
  }
  return unit;
}

/** Writes the unit, enables and starts it. @returns its name @throws AgentError if systemd refuses */
export function installService(stateDir: string, instance: string): string {
  const unit = unitName(stateDir, instance);
  try {
    compileAhead(stateDir);
    const text = renderUnit(agentCommand("run", "--state-dir", stateDir), agentEnvironment(stateDir));
    writeFileSync(join(UNIT_DIR, unit), text, { mode: 0o644 });
    execFileSync("systemctl", ["daemon-reload"], { stdio: "pipe" });
    execFileSync("systemctl", ["enable", "--now", unit], { stdio: "pipe" });
  } catch (cause) {
    throw new AgentError(`the node has joined, but ${unit} could not be started: ${(cause as Error).message}`);
  }
  return unit;
}
