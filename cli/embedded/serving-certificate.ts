import { generateKeyPairSync, X509Certificate } from "node:crypto";
import { hostname, networkInterfaces } from "node:os";
import type { HostingClient } from "./control-plane-client.ts";

/** Renewed when less than this is left; a renewal is one signature, so early is cheap. */
const RENEW_BEFORE_MS = 60 * 24 * 3600 * 1000;

export interface ServingNames {
  dnsNames: string[];
  ipAddresses: string[];
}

export interface ServingCertificate {
  keyPem: string;
  /** The leaf and the CA, leaf first. */
  chainPem: string;
  names: ServingNames;
  expiresMs: number;
}

/**
 * Every name this machine's API server may be called by. Sorted, so that two lists can be compared.
 * @param addresses the machine's, and that of the Service `kubernetes`
 */
export function servingNames(hostName: string, addresses: string[]): ServingNames {
  const dnsNames = new Set([
    "localhost",
    hostName.toLowerCase(),
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
  ]);
  // A link-local address with a zone is no address a certificate can hold.
  const plain = addresses.filter((address) => !address.includes("%"));
  return {
    dnsNames: [...dnsNames].sort(),
    ipAddresses: [...new Set(["127.0.0.1", "::1", ...plain])].sort(),
  };
}

/** @param apiIp of the Service `kubernetes` */
export function localServingNames(apiIp: string): ServingNames {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));
  return servingNames(hostname(), [apiIp, ...addresses]);
}

/** Makes a key here and has the cluster's CA certify it: the key never leaves this process. */
export async function requestServingCertificate(
  hosting: HostingClient,
  cluster: string,
  caPem: string,
  names: ServingNames,
): Promise<ServingCertificate> {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const answer = await hosting.post(`/hearth/v1/clusters/${cluster}/serving-certificate`, {
    publicKeyPem: publicKey.export({ type: "spki", format: "pem" }),
    ...names,
  });
  const leafPem = String(answer["certificatePem"]).trimEnd();
  return {
    keyPem: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
    chainPem: `${leafPem}\n${caPem.trimEnd()}\n`,
    names,
    expiresMs: new X509Certificate(leafPem).validToDate.getTime(),
  };
}

/** Whether a new certificate is due: soon to expire, or the machine got an address the old one lacks. */
export function isRenewalDue(current: ServingCertificate, names: ServingNames, nowMs: number): boolean {
  const known = new Set([...current.names.dnsNames, ...current.names.ipAddresses]);
  const isMissing = [...names.dnsNames, ...names.ipAddresses].some((name) => !known.has(name));
  return isMissing || current.expiresMs - nowMs < RENEW_BEFORE_MS;
}
