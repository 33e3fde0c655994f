import { AgentError } from "./agent-error.ts";

/** RFC 1123 subdomain, as the API server wants a Node's name. */
const NODE_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const MAX_CHARS = 253;

/** @throws AgentError if it is no name for a Node */
export function checkNodeName(name: string): string {
  if (name.length <= MAX_CHARS && NODE_NAME.test(name)) return name;
  throw new AgentError(
    `"${name}" is no name for a node: it must consist of lower case letters, digits, "-" and "."; give one with --node-name`,
  );
}
