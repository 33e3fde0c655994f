import { descriptionsJson } from "../../../generated/descriptions.ts";

const META_PREFIX = "io.k8s.apimachinery.pkg.apis.";
const API_PREFIX = "io.k8s.api.";

const CONCURRENCY_SHARES = "flowcontrol.v1.LimitedPriorityLevelConfiguration.nominalConcurrencyShares";

/** Where two spaces after a full stop are just that. */
const DOUBLE_SPACED =
  /^(autoscaling\.v2\.HorizontalPodAutoscalerSpec\.|batch\.v1\.CronJobSpec\.suspend|core\.v1\.ServiceSpec\.externalIPs|flowcontrol\.(?!v1\.LimitedPriorityLevelConfiguration\.nominalConcurrencyShares)|storage\.v1\.StorageClass\.)/;

/** Texts with both, and line breaks that no space tells of. */
const MENDED: Record<string, (text: string) => string> = {
  "core.v1.ServiceSpec.clusterIP": (text) => text.replace(/\n\n(?=Valid values|Only applies)/g, "  "),
  [CONCURRENCY_SHARES]: (text) => text.replace("NominalCL(i)\n\n=", "NominalCL(i)  ="),
  "storage.v1.CSIDriverSpec.tokenRequests": (text) => text.replace("... }", "...\n}"),
};

/** A longer run stood for a line's indent (or, of four, for a paragraph's that is indented by two). */
function breakLines(run: string): string {
  if (run.length === 2) return "\n\n";
  return run.length === 4 ? "\n\n  " : `\n${run.slice(1)}`;
}

let parsed: Record<string, Record<string, string>> | undefined;

/**
 * The description of a schema's field, e.g. `core.v1.PodStatus.podIP`; empty if there is none. The client library that
 * the texts come from has flattened line breaks: in most texts two spaces in a row were a paragraph's end.
 */
export function fieldDescription(path: string): string {
  parsed ??= JSON.parse(descriptionsJson()) as Record<string, Record<string, string>>;
  const dot = path.lastIndexOf(".");
  const prefix = path.startsWith("meta.") ? META_PREFIX : API_PREFIX;
  const text = parsed[prefix + path.slice(0, dot)]?.[path.slice(dot + 1)] ?? "";
  if (DOUBLE_SPACED.test(path)) return text;
  const broken = text.replace(/ {2,}/g, breakLines);
  return MENDED[path]?.(broken) ?? broken;
}
