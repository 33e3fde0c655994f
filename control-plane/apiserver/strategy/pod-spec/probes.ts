import {
  fieldForbidden,
  invalidEach,
  invalidValue,
  NOT_NEGATIVE,
  notSupported,
  required,
} from "../../../../shared/api/field-error.ts";
import { checkHttpHeaderName, checkPortName, checkPortNumber } from "../../../../shared/api/names.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { HTTPGetAction, Lifecycle, LifecycleHandler, Probe } from "../../../../shared/api/types.ts";
import type { PodCheck } from "./context.ts";

/** A number or a name of a port. */
export function checkPort(port: number | string | undefined, field: string): StatusCause[] {
  const value = port ?? 0;
  return typeof value === "number"
    ? invalidEach(field, value, checkPortNumber(value))
    : invalidEach(field, value, checkPortName(value));
}

function checkHttpGet(action: HTTPGetAction, path: string): StatusCause[] {
  const causes: StatusCause[] = [];
  if (!action.path) causes.push(required(`${path}.path`));
  causes.push(...checkPort(action.port, `${path}.port`));
  if (action.scheme !== "HTTP" && action.scheme !== "HTTPS") {
    causes.push(notSupported(`${path}.scheme`, action.scheme ?? "", ["HTTP", "HTTPS"]));
  }
  for (const header of action.httpHeaders ?? []) {
    causes.push(...invalidEach(`${path}.httpHeaders`, header.name ?? "", checkHttpHeaderName(header.name ?? "")));
  }
  return causes;
}

type Handler = Pick<Probe, "exec" | "httpGet" | "tcpSocket" | "grpc"> & Pick<LifecycleHandler, "sleep">;

/** Exactly one kind of handler. */
function checkHandler(handler: Handler, graceSeconds: number | undefined, path: string): StatusCause[] {
  const causes: StatusCause[] = [];
  let count = 0;
  const one = (name: keyof Handler, check: () => StatusCause[]) => {
    if (handler[name] === undefined) return;
    if (count > 0) causes.push(fieldForbidden(`${path}.${name}`, "may not specify more than 1 handler type"));
    else {
      count++;
      causes.push(...check());
    }
  };
  one("exec", () => ((handler.exec?.command ?? []).length === 0 ? [required(`${path}.exec.command`)] : []));
  one("httpGet", () => (handler.httpGet ? checkHttpGet(handler.httpGet, `${path}.httpGet`) : []));
  one("tcpSocket", () => checkPort(handler.tcpSocket?.port, `${path}.tcpSocket.port`));
  one("grpc", () => checkPort(handler.grpc?.port, `${path}.grpc.port`));
  one("sleep", () => {
    const seconds = handler.sleep?.seconds ?? 0;
    return graceSeconds !== undefined && (seconds < 0 || seconds > graceSeconds)
      ? [
          invalidValue(
            `${path}.sleep`,
            seconds,
            `must be non-negative and less than terminationGracePeriodSeconds (${graceSeconds})`,
          ),
        ]
      : [];
  });
  if (count === 0) causes.push(required(path, "must specify a handler type"));
  return causes;
}

const PROBE_NUMBERS = [
  "initialDelaySeconds",
  "timeoutSeconds",
  "periodSeconds",
  "successThreshold",
  "failureThreshold",
] as const;

function checkProbe(probe: Probe, graceSeconds: number | undefined, path: string): StatusCause[] {
  const causes = checkHandler(probe, graceSeconds, path);
  for (const name of PROBE_NUMBERS) {
    const value = probe[name] ?? 0;
    if (value < 0) causes.push(invalidValue(`${path}.${name}`, value, NOT_NEGATIVE));
  }
  const ownGrace = probe.terminationGracePeriodSeconds;
  if (ownGrace !== undefined && ownGrace <= 0) {
    causes.push(invalidValue(`${path}.terminationGracePeriodSeconds`, ownGrace, "must be greater than 0"));
  }
  return causes;
}

interface Probed {
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  startupProbe?: Probe;
}

export function checkProbes({ causes, spec }: PodCheck, container: Probed, path: string): void {
  const graceSeconds = spec.terminationGracePeriodSeconds;
  const mustSucceedOnce = (probe: Probe, field: string) => {
    causes.push(...checkProbe(probe, graceSeconds, field));
    const threshold = probe.successThreshold ?? 0;
    if (threshold !== 1) causes.push(invalidValue(`${field}.successThreshold`, threshold, "must be 1"));
  };
  if (container.livenessProbe) mustSucceedOnce(container.livenessProbe, `${path}.livenessProbe`);
  if (container.readinessProbe) {
    const field = `${path}.readinessProbe`;
    causes.push(...checkProbe(container.readinessProbe, graceSeconds, field));
    const ownGrace = container.readinessProbe.terminationGracePeriodSeconds;
    if (ownGrace !== undefined) {
      causes.push(
        invalidValue(`${field}.terminationGracePeriodSeconds`, ownGrace, "must not be set for readinessProbes"),
      );
    }
  }
  if (container.startupProbe) mustSucceedOnce(container.startupProbe, `${path}.startupProbe`);
}

const LINUX_SIGNALS = [
  ..."ABRT ALRM BUS CHLD CLD CONT FPE HUP ILL INT IO IOT KILL PIPE POLL PROF PWR QUIT".split(" "),
  "RTMAX",
  ...Array.from({ length: 14 }, (_, i) => `RTMAX-${i + 1}`),
  "RTMIN",
  ...Array.from({ length: 15 }, (_, i) => `RTMIN+${i + 1}`),
  ..."SEGV STKFLT STOP SYS TERM TRAP TSTP TTIN TTOU URG USR1 USR2 VTALRM WINCH XCPU XFSZ".split(" "),
]
  .map((name) => `SIG${name}`)
  .sort();
const WINDOWS_SIGNALS = ["SIGKILL", "SIGTERM"];

export function checkLifecycle({ causes, spec }: PodCheck, lifecycle: Lifecycle, path: string): void {
  const graceSeconds = spec.terminationGracePeriodSeconds;
  if (lifecycle.postStart) causes.push(...checkHandler(lifecycle.postStart, graceSeconds, `${path}.postStart`));
  if (lifecycle.preStop) causes.push(...checkHandler(lifecycle.preStop, graceSeconds, `${path}.preStop`));
  if (lifecycle.stopSignal === undefined) return;
  const field = `${path}.stopSignal`;
  if (!spec.os) {
    causes.push(fieldForbidden(field, "may not be set for containers with empty `spec.os.name`"));
    return;
  }
  const known = spec.os.name === "windows" ? WINDOWS_SIGNALS : spec.os.name === "linux" ? LINUX_SIGNALS : undefined;
  if (known && !known.includes(lifecycle.stopSignal)) causes.push(notSupported(field, lifecycle.stopSignal, known));
}
