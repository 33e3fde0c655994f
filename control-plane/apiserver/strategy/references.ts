import { invalidValue, required } from "../../../shared/api/field-error.ts";
import { checkDns1123Subdomain, checkPathSegment } from "../../../shared/api/names.ts";
import type { StatusCause } from "../../../shared/api/status.ts";

/** A required name that becomes a part of a URL. */
export function checkSegment(value: string | undefined, field: string): StatusCause[] {
  if (!value) return [required(field)];
  return checkPathSegment(value).map((message) => invalidValue(field, value, message));
}

/** A reference to an object of any group by kind and name. */
export function checkTypedReference(
  { apiGroup, kind, name }: { apiGroup?: string | null; kind?: string; name?: string },
  path: string,
): StatusCause[] {
  const group = apiGroup === undefined || apiGroup === null ? [] : checkDns1123Subdomain(apiGroup);
  return [
    ...group.map((message) => invalidValue(`${path}.apiGroup`, apiGroup, message)),
    ...checkSegment(kind, `${path}.kind`),
    ...checkSegment(name, `${path}.name`),
  ];
}

/** A name such as `acme.io/foo`. */
export function checkDomainPrefixedPath(name: string, field: string): StatusCause[] {
  if (name === "") return [required(field)];
  const slash = name.indexOf("/");
  if (slash <= 0 || slash === name.length - 1) {
    return [invalidValue(field, name, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  }
  const [domain, path] = [name.slice(0, slash), name.slice(slash + 1)];
  const causes = checkDns1123Subdomain(domain).map((message) => invalidValue(field, domain, message));
  if (!/^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/.test(path)) {
    const pattern = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
    causes.push(
      invalidValue(field, path, `Invalid path (e.g. 'foo', or 'foo/bar', regex used for validation is '${pattern}')`),
    );
  }
  return causes;
}
