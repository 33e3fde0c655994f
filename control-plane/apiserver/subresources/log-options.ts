import { fieldForbidden, invalidValue } from "../../../shared/api/field-error.ts";
import { invalid, type StatusCause } from "../../../shared/api/status.ts";
import { booleanOf, integerOf, timeOf } from "./query-values.ts";

/** PodLogOptions (core/v1), what the kubelet is asked for. */
export interface PodLogOptions {
  container: string;
  follow: boolean;
  previous: boolean;
  timestamps: boolean;
  sinceSeconds?: number;
  sinceTime?: string;
  tailLines?: number;
  limitBytes?: number;
}

/** @throws ApiError 400 for a value that cannot be read, 422 for one that is not allowed, with upstream's words */
export function parseLogOptions(podName: string, query: URLSearchParams): PodLogOptions {
  const options: PodLogOptions = {
    container: query.get("container") ?? "",
    follow: booleanOf(query, "follow"),
    previous: booleanOf(query, "previous"),
    timestamps: booleanOf(query, "timestamps"),
    sinceSeconds: integerOf(query, "sinceSeconds"),
    sinceTime: timeOf(query, "sinceTime"),
    tailLines: integerOf(query, "tailLines"),
    limitBytes: integerOf(query, "limitBytes"),
  };
  const causes = [...validate(options)];
  // The feature gate PodLogsQuerySplitStreams is off.
  if (query.has("stream")) causes.push(fieldForbidden("stream", "may not be specified"));
  if (causes.length > 0) throw invalid({ group: "", kind: "PodLogOptions" }, podName, causes);
  return options;
}

function* validate({ tailLines, limitBytes, sinceSeconds, sinceTime }: PodLogOptions): Generator<StatusCause> {
  if (tailLines !== undefined && tailLines < 0) {
    yield invalidValue("tailLines", tailLines, "must be greater than or equal to 0");
  }
  if (limitBytes !== undefined && limitBytes < 1) {
    yield invalidValue("limitBytes", limitBytes, "must be greater than 0");
  }
  if (sinceSeconds === undefined) return;
  if (sinceTime !== undefined) {
    yield fieldForbidden("", "at most one of `sinceTime` or `sinceSeconds` may be specified");
  } else if (sinceSeconds < 1) {
    yield invalidValue("sinceSeconds", sinceSeconds, "must be greater than 0");
  }
}

/** The query of the kubelet's `/containerLogs/…`; only what is set. */
export function renderLogQuery(options: PodLogOptions): URLSearchParams {
  const query = new URLSearchParams();
  for (const name of ["follow", "previous", "timestamps"] as const) if (options[name]) query.set(name, "true");
  for (const name of ["sinceSeconds", "sinceTime", "tailLines", "limitBytes"] as const) {
    const value = options[name];
    if (value !== undefined) query.set(name, String(value));
  }
  return query;
}
