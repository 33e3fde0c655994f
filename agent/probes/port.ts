import type { Container } from "../api/index.ts";

/** A number, or the name of one of the container's ports. @throws Error in upstream's words */
export function resolvePort(container: Container, port: number | string): number {
  const number = typeof port === "number" ? port : /^\d+$/.test(port) ? Number(port) : undefined;
  if (number !== undefined) {
    if (number > 0 && number < 65_536) return number;
    throw new Error(`invalid port number: ${number}`);
  }
  const named = container.ports?.find(({ name }) => name === port);
  // Upstream then takes the name for a number.
  if (!named) throw new Error(`strconv.Atoi: parsing ${JSON.stringify(port)}: invalid syntax`);
  return named.containerPort;
}
