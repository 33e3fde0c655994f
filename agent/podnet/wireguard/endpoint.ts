import { type IpAddress, parseIp, printIp } from "../../../shared/api/ip.ts";

/** Where encrypted packets are sent to. */
export interface Endpoint {
  address: IpAddress;
  port: number;
}

export const printEndpoint = ({ address, port }: Endpoint): string =>
  address.family === 4 ? `${printIp(address)}:${port}` : `[${printIp(address)}]:${port}`;

/** @param text `192.0.2.1:51820` or `[2001:db8::1]:51820`. Undefined if it is neither: names are not looked up */
export function parseEndpoint(text: string): Endpoint | undefined {
  const [, inBrackets, plain, digits] = /^(?:\[([^\]]{2,45})\]|([\d.]{7,15})):(\d{1,5})$/.exec(text) ?? [];
  const address = parseIp(inBrackets ?? plain ?? "");
  const port = Number(digits);
  if (!address || (address.family === 6) !== (inBrackets !== undefined) || port < 1 || port > 65_535) return undefined;
  return { address, port };
}
