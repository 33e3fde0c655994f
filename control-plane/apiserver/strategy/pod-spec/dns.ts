import { invalidEach, invalidValue, required } from "../../../../shared/api/field-error.ts";
import { checkDns1123SubdomainWithUnderscore } from "../../../../shared/api/names.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { PodSpec } from "../../../../shared/api/types.ts";
import { checkLegacyIp } from "../ip-rules.ts";

const MAX_NAMESERVERS = 3;
const MAX_SEARCH_PATHS = 32;
const MAX_SEARCH_LIST = 2048;

export function checkDnsConfig({ dnsConfig, dnsPolicy }: PodSpec, path: string): StatusCause[] {
  if (dnsPolicy === "None") {
    if (!dnsConfig) return [required(path, "must provide `dnsConfig` when `dnsPolicy` is None")];
    if ((dnsConfig.nameservers ?? []).length === 0) {
      return [required(`${path}.nameservers`, "must provide at least one DNS nameserver when `dnsPolicy` is None")];
    }
  }
  if (!dnsConfig) return [];
  const { nameservers = [], searches = [], options = [] } = dnsConfig;
  const causes: StatusCause[] = [];
  if (nameservers.length > MAX_NAMESERVERS) {
    const rule = `must not have more than ${MAX_NAMESERVERS} nameservers`;
    causes.push(invalidValue(`${path}.nameservers`, nameservers, rule));
  }
  for (const [index, server] of nameservers.entries()) {
    causes.push(...checkLegacyIp(server, `${path}.nameservers[${index}]`));
  }
  if (searches.length > MAX_SEARCH_PATHS) {
    const rule = `must not have more than ${MAX_SEARCH_PATHS} search paths`;
    causes.push(invalidValue(`${path}.searches`, searches, rule));
  }
  if (searches.join(" ").length > MAX_SEARCH_LIST) {
    const rule = `must not have more than ${MAX_SEARCH_LIST} characters (including spaces) in the search list`;
    causes.push(invalidValue(`${path}.searches`, searches, rule));
  }
  for (const [index, search] of searches.entries()) {
    if (search === ".") continue;
    const name = search.endsWith(".") ? search.slice(0, -1) : search;
    causes.push(...invalidEach(`${path}.searches[${index}]`, name, checkDns1123SubdomainWithUnderscore(name)));
  }
  for (const [index, option] of options.entries()) {
    if (!option.name) causes.push(required(`${path}.options[${index}]`, "must not be empty"));
  }
  return causes;
}
