/** Of a proxied object's name in a path: `web`, `web:http`, `https:web:8443`, `https:web:`. */
export interface SchemeNamePort {
  scheme: "" | "http" | "https";
  name: string;
  /** A number or a port's name; empty: not said. */
  port: string;
}

/** @returns undefined for what is no such name (k8s.io/apimachinery, util/net: SplitSchemeNamePort) */
export function splitSchemeNamePort(id: string): SchemeNamePort | undefined {
  const parts = id.split(":");
  if (parts.length > 3) return undefined;
  const [scheme, name, port] = parts.length === 3 ? parts : ["", ...parts];
  if (!name || (scheme !== "" && scheme !== "http" && scheme !== "https")) return undefined;
  return { scheme, name, port: port ?? "" };
}
