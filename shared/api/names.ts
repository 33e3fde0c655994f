/*
 * Formats of names, labels and keys with upstream's messages (apimachinery, util/validation and api/validate/content).
 * Each check returns the reasons why the value is not valid; an empty list means that it is.
 */

const LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const DNS1035 = "[a-z]([-a-z0-9]*[a-z0-9])?";
const QUALIFIED_PART = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const LABEL_VALUE = `(${QUALIFIED_PART})?`;
const CONFIG_KEY = "[-._a-zA-Z0-9]+";
const ENV_NAME = "[-._a-zA-Z][-._a-zA-Z0-9]*";
const HTTP_HEADER = "[-A-Za-z0-9]+";
const C_IDENTIFIER = "[A-Za-z_][A-Za-z0-9_]*";
const PERCENT = "[0-9]+%";
const UNDERSCORE_LABEL = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
const UNDERSCORE_SUBDOMAIN = `${UNDERSCORE_LABEL}(\\.${UNDERSCORE_LABEL})*`;

const whole = (pattern: string) => new RegExp(`^${pattern}$`);
const labelRegex = whole(LABEL);
const subdomainRegex = whole(SUBDOMAIN);
const dns1035Regex = whole(DNS1035);
const qualifiedPartRegex = whole(QUALIFIED_PART);
const labelValueRegex = whole(LABEL_VALUE);
const configKeyRegex = whole(CONFIG_KEY);
const envNameRegex = whole(ENV_NAME);
const httpHeaderRegex = whole(HTTP_HEADER);
const cIdentifierRegex = whole(C_IDENTIFIER);
const percentRegex = whole(PERCENT);
const wildcardRegex = whole(`\\*\\.${SUBDOMAIN}`);
const underscoreSubdomainRegex = whole(UNDERSCORE_SUBDOMAIN);

const MAX_LABEL = 63;
const MAX_SUBDOMAIN = 253;

/** Explains a failed pattern, with examples. */
export function regexMessage(text: string, pattern: string, ...examples: string[]): string {
  if (examples.length === 0) return `${text} (regex used for validation is '${pattern}')`;
  return `${text} (e.g. ${examples.map((example) => `'${example}', `).join(" or ")}regex used for validation is '${pattern}')`;
}

export const maxCharacters = (length: number) => `must be no more than ${length} characters`;
const maxBytes = (length: number) => `must be no more than ${length} bytes`;

const LABEL_TEXT =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
const SUBDOMAIN_TEXT =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
const QUALIFIED_TEXT =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

export function checkDns1123Label(value: string): string[] {
  const messages = value.length > MAX_LABEL ? [maxCharacters(MAX_LABEL)] : [];
  if (!labelRegex.test(value)) {
    messages.push(
      subdomainRegex.test(value) ? "must not contain dots" : regexMessage(LABEL_TEXT, LABEL, "my-name", "123-abc"),
    );
  }
  return messages;
}

export function checkDns1123Subdomain(value: string): string[] {
  const messages = value.length > MAX_SUBDOMAIN ? [maxCharacters(MAX_SUBDOMAIN)] : [];
  if (!subdomainRegex.test(value)) messages.push(regexMessage(SUBDOMAIN_TEXT, SUBDOMAIN, "example.com"));
  return messages;
}

/** DNS search domains may carry underscores. */
export function checkDns1123SubdomainWithUnderscore(value: string): string[] {
  const messages = value.length > MAX_SUBDOMAIN ? [maxCharacters(MAX_SUBDOMAIN)] : [];
  if (!underscoreSubdomainRegex.test(value)) {
    messages.push(
      regexMessage(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character",
        UNDERSCORE_SUBDOMAIN,
        "example.com",
      ),
    );
  }
  return messages;
}

export function checkWildcardDns1123Subdomain(value: string): string[] {
  const messages = value.length > MAX_SUBDOMAIN ? [maxCharacters(MAX_SUBDOMAIN)] : [];
  if (!wildcardRegex.test(value)) {
    messages.push(
      regexMessage(
        "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
        `\\*\\.${SUBDOMAIN}`,
        "*.example.com",
      ),
    );
  }
  return messages;
}

export function checkDns1035Label(value: string): string[] {
  const messages = value.length > MAX_LABEL ? [maxCharacters(MAX_LABEL)] : [];
  if (!dns1035Regex.test(value)) {
    messages.push(
      regexMessage(
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
        DNS1035,
        "my-name",
        "abc-123",
      ),
    );
  }
  return messages;
}

/** `name` or `prefix/name`: label keys, annotation keys (lower-cased first), finalizers, condition types, resource names. */
export function checkQualifiedName(value: string): string[] {
  const parts = value.split("/");
  const explained = regexMessage(QUALIFIED_TEXT, QUALIFIED_PART, "MyName", "my.name", "123-abc");
  if (parts.length > 2) {
    return [`a valid label key ${explained} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const messages: string[] = [];
  const name = parts[parts.length - 1] ?? "";
  if (parts.length === 2) {
    const prefix = parts[0] ?? "";
    if (prefix === "") messages.push("prefix part must be non-empty");
    else {
      if (prefix.length > MAX_SUBDOMAIN) messages.push(`prefix part ${maxBytes(MAX_SUBDOMAIN)}`);
      if (!subdomainRegex.test(prefix)) {
        messages.push(`prefix part ${regexMessage(SUBDOMAIN_TEXT, SUBDOMAIN, "example.com")}`);
      }
    }
  }
  if (name === "") messages.push("name part must be non-empty");
  else if (name.length > MAX_LABEL) messages.push(`name part ${maxBytes(MAX_LABEL)}`);
  if (!qualifiedPartRegex.test(name)) messages.push(`name part ${explained}`);
  return messages;
}

export function checkLabelValue(value: string): string[] {
  const messages = value.length > MAX_LABEL ? [maxBytes(MAX_LABEL)] : [];
  if (!labelValueRegex.test(value)) {
    messages.push(
      regexMessage(
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
        LABEL_VALUE,
        "MyValue",
        "my_value",
        "12345",
      ),
    );
  }
  return messages;
}

function checkDotPrefix(value: string): string[] {
  if (value === ".") return ["must not be '.'"];
  if (value === "..") return ["must not be '..'"];
  return value.startsWith("..") ? ["must not start with '..'"] : [];
}

/** Keys of ConfigMaps and Secrets. */
export function checkConfigMapKey(value: string): string[] {
  const messages = value.length > MAX_SUBDOMAIN ? [maxCharacters(MAX_SUBDOMAIN)] : [];
  if (!configKeyRegex.test(value)) {
    messages.push(
      regexMessage(
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
        CONFIG_KEY,
        "key.name",
        "KEY_NAME",
        "key-name",
      ),
    );
  }
  return [...messages, ...checkDotPrefix(value)];
}

/** The strict rule (prefixes of envFrom before RelaxedEnvironmentVariableValidation). */
export function checkEnvVarName(value: string): string[] {
  const messages = envNameRegex.test(value)
    ? []
    : [
        regexMessage(
          "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit",
          ENV_NAME,
          "my.env-name",
          "MY_ENV.NAME",
          "MyEnvName1",
        ),
      ];
  return [...messages, ...checkDotPrefix(value)];
}

/** Any printable ASCII but `=` (KEP-4369). */
export function checkRelaxedEnvVarName(value: string): string[] {
  if (value === "") return ["environment variable name must be non-empty"];
  return /^[\x20-\x3c\x3e-\x7e]*$/.test(value)
    ? []
    : ["a valid environment variable name must consist only of printable ASCII characters other than '='"];
}

/** Service and container port names (IANA_SVC_NAME). */
export function checkPortName(value: string): string[] {
  const messages: string[] = [];
  if (value.length > 15) messages.push(maxCharacters(15));
  if (!/^[-a-z0-9]+$/.test(value)) {
    messages.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (!/[a-z]/.test(value)) messages.push("must contain at least one letter (a-z)");
  if (value.includes("--")) messages.push("must not contain consecutive hyphens");
  if (value.startsWith("-") || value.endsWith("-")) messages.push("must not begin or end with a hyphen");
  return messages;
}

export const checkPortNumber = (port: number): string[] =>
  port >= 1 && port <= 65535 ? [] : ["must be between 1 and 65535, inclusive"];

export function checkHttpHeaderName(value: string): string[] {
  return httpHeaderRegex.test(value)
    ? []
    : [
        regexMessage(
          "a valid HTTP header must consist of alphanumeric characters or '-'",
          HTTP_HEADER,
          "X-Header-Name",
        ),
      ];
}

export function checkCIdentifier(value: string): string[] {
  return cIdentifierRegex.test(value)
    ? []
    : [
        regexMessage(
          "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'",
          C_IDENTIFIER,
          "my_name",
          "MY_NAME",
          "MyName",
        ),
      ];
}

export function checkPercent(value: string): string[] {
  return percentRegex.test(value)
    ? []
    : [regexMessage("a valid percent string must be a numeric string followed by an ending '%'", PERCENT, "1%", "93%")];
}

/** Names that become one segment of a path (RBAC objects). */
export function checkPathSegment(value: string): string[] {
  if (value === ".") return ["may not be '.'"];
  if (value === "..") return ["may not be '..'"];
  return ["/", "%"].filter((part) => value.includes(part)).map((part) => `may not contain '${part}'`);
}

/** `prefix`: the text is a generateName, something will be appended. */
export type NameRule = (name: string, prefix: boolean) => string[];

/** A trailing dash is fine where a suffix follows. */
const maskTrailingDash = (name: string) => (name.length > 1 && name.endsWith("-") ? `${name.slice(0, -2)}a` : name);

export const nameIsSubdomain: NameRule = (name, prefix) =>
  checkDns1123Subdomain(prefix ? maskTrailingDash(name) : name);
export const nameIsLabel: NameRule = (name, prefix) => checkDns1123Label(prefix ? maskTrailingDash(name) : name);
export const nameIsDns1035Label: NameRule = (name, prefix) => checkDns1035Label(prefix ? maskTrailingDash(name) : name);
export const nameIsPathSegment: NameRule = (name) => checkPathSegment(name);
