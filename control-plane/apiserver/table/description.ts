import { descriptionsJson } from "../../../generated/descriptions.ts";

const META_PREFIX = "io.k8s.apimachinery.pkg.apis.";
const API_PREFIX = "io.k8s.api.";

/** Where two spaces after a full stop are just that. */
const DOUBLE_SPACED =
  /^(batch\.v1\.CronJobSpec\.suspend|core\.v1\.ServiceSpec\.externalIPs|flowcontrol\.|storage\.v1\.StorageClass\.)/;

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
  return DOUBLE_SPACED.test(path) ? text : text.replaceAll("  ", "\n\n");
}
