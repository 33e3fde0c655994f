import { invalidValue, required } from "../../../shared/api/field-error.ts";
import { checkDns1123Subdomain, checkPortNumber } from "../../../shared/api/names.ts";
import type { StatusCause } from "../../../shared/api/status.ts";

/** How the API server reaches a webhook (admission, conversion). */
export interface WebhookClientConfig {
  url?: string;
  service?: { namespace?: string; name?: string; path?: string; port?: number };
}

const FORM = "; desired format: https://host[/path]";
/** RFC 3986, appendix B. */
const URL_PARTS = /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s;

function checkUrl(url: string, field: string): StatusCause[] {
  const [, scheme = "", authority = "", , query = "", fragment = ""] = URL_PARTS.exec(url) ?? [];
  const at = authority.lastIndexOf("@");
  const causes: StatusCause[] = [];
  if (scheme.toLowerCase() !== "https") {
    causes.push(invalidValue(field, scheme.toLowerCase(), `'https' is the only allowed URL scheme${FORM}`));
  }
  if (authority.slice(at + 1) === "") causes.push(invalidValue(field, "", `host must be specified${FORM}`));
  if (at >= 0) causes.push(invalidValue(field, authority.slice(0, at), "user information is not permitted in the URL"));
  if (fragment !== "") causes.push(invalidValue(field, fragment, "fragments are not permitted in the URL"));
  if (query !== "") causes.push(invalidValue(field, query, "query parameters are not permitted in the URL"));
  return causes;
}

function checkPath(path: string, field: string): StatusCause[] {
  if (path === "" || path === "/") return [];
  if (path === "//") return [invalidValue(field, path, "segment[0] may not be empty")];
  const causes = path.startsWith("/") ? [] : [invalidValue(field, path, "must start with a '/'")];
  // The first character is taken for the slash, whatever it is.
  const segments = path.slice(1).replace(/\/$/, "").split("/");
  for (const [i, segment] of segments.entries()) {
    if (segment === "") causes.push(invalidValue(field, path, `segment[${i}] may not be empty`));
    else {
      const messages = checkDns1123Subdomain(segment);
      causes.push(...messages.map((message) => invalidValue(field, path, `segment[${i}]: ${message}`)));
    }
  }
  return causes;
}

export function checkWebhookService(
  service: NonNullable<WebhookClientConfig["service"]>,
  field: string,
): StatusCause[] {
  const { namespace = "", name = "", path, port = 0 } = service;
  // Clients know the two the other way round: upstream swaps them.
  const causes = namespace === "" ? [required(`${field}.name`)] : [];
  if (name === "") causes.push(required(`${field}.namespace`));
  const messages = checkPortNumber(port);
  if (messages.length > 0)
    causes.push(invalidValue(`${field}.port`, port, `port is not valid: ${messages.join(", ")}`));
  return path === undefined ? causes : [...causes, ...checkPath(path, `${field}.path`)];
}

/** Exactly one way to reach it. */
export function checkWebhookClient({ url, service }: WebhookClientConfig, field: string): StatusCause[] {
  if (url !== undefined && service === undefined) return checkUrl(url, `${field}.url`);
  if (service !== undefined && url === undefined) return checkWebhookService(service, `${field}.service`);
  return [required(field, "exactly one of url or service is required")];
}
