/*
 * The syntax of label keys (which upstream also calls qualified names) and label values, with the messages of its
 * content validation. An empty result means valid.
 */

const LABEL_NAME = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const LABEL_NAME_RULE =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const SUBDOMAIN = "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
const MAX_NAME_BYTES = 63;
const MAX_SUBDOMAIN_BYTES = 253;

const labelName = new RegExp(`^${LABEL_NAME}$`);
const labelValue = new RegExp(`^(${LABEL_NAME})?$`);
const subdomain = new RegExp(`^${SUBDOMAIN}$`);

/** Upstream's wording: every example but the first follows "or", and each is followed by a comma. */
function regexError(rule: string, regex: string, ...examples: string[]): string {
  const shown = examples.map((example) => `'${example}', `).join(" or ");
  return `${rule} (e.g. ${shown}regex used for validation is '${regex}')`;
}

const tooLong = (maxBytes: number) => `must be no more than ${maxBytes} bytes`;
const LABEL_NAME_ERROR = regexError(LABEL_NAME_RULE, LABEL_NAME, "MyName", "my.name", "123-abc");

/** Whether a text is longer than so many bytes of UTF-8. */
const isOver = (text: string, maxBytes: number) =>
  text.length > maxBytes || (text.length * 3 > maxBytes && new TextEncoder().encode(text).length > maxBytes);

/** A DNS-1123 subdomain in lower case. */
export function subdomainErrors(value: string): string[] {
  const errors = isOver(value, MAX_SUBDOMAIN_BYTES) ? [tooLong(MAX_SUBDOMAIN_BYTES)] : [];
  // Over-long texts are not put through the pattern: what it says of them is known from their length.
  if (errors.length > 0 || subdomain.test(value)) return errors;
  const rule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
  return [...errors, regexError(rule, SUBDOMAIN, "example.com")];
}

/** `[<DNS subdomain>/]<name>`; also the rule for finalizers, condition types, taint keys and others. */
export function labelKeyErrors(key: string): string[] {
  const parts = key.split("/");
  if (parts.length > 2) {
    return [
      `a valid label key ${LABEL_NAME_ERROR} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const errors: string[] = [];
  const name = parts.at(-1)!;
  if (parts.length === 2) {
    const prefix = parts[0]!;
    if (prefix === "") errors.push("prefix part must be non-empty");
    else errors.push(...subdomainErrors(prefix).map((error) => `prefix part ${error}`));
  }
  if (name === "") errors.push("name part must be non-empty");
  else if (isOver(name, MAX_NAME_BYTES)) errors.push(`name part ${tooLong(MAX_NAME_BYTES)}`);
  if (!labelName.test(name)) errors.push(`name part ${LABEL_NAME_ERROR}`);
  return errors;
}

export function labelValueErrors(value: string): string[] {
  const errors = isOver(value, MAX_NAME_BYTES) ? [tooLong(MAX_NAME_BYTES)] : [];
  if (!labelValue.test(value)) {
    const rule = `a valid label must be an empty string or consist of ${LABEL_NAME_RULE.slice("must consist of ".length)}`;
    errors.push(regexError(rule, `(${LABEL_NAME})?`, "MyValue", "my_value", "12345"));
  }
  return errors;
}
