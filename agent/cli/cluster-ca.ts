import { createHash, X509Certificate } from "node:crypto";
import { connect, type DetailedPeerCertificate } from "node:tls";
import { explainFailure } from "../tunnel/index.ts";
import { AgentError } from "./agent-error.ts";

const TIMEOUT_MS = 10_000;
/** A chain is two or three certificates; a peer may send whatever it likes. */
const MAX_CHAIN = 10;

/** `sha256:<hex>` over the certificate's SubjectPublicKeyInfo, as a join token carries it. */
export function publicKeyHash(certificate: X509Certificate): string {
  const spki = certificate.publicKey.export({ type: "spki", format: "der" });
  return `sha256:${createHash("sha256").update(spki).digest("hex")}`;
}

/**
 * The cluster's CA, as the endpoint presents it: a certificate of its chain whose key has the hash that the join token
 * was given with. Nothing is trusted before, and nothing is sent.
 * @returns PEM
 * @throws AgentError if the endpoint cannot be reached, or presents no such certificate
 */
export async function fetchClusterCa(endpoint: string, caHash: string): Promise<string> {
  const chain = await presentedChain(new URL(endpoint), endpoint);
  const ca = chain.find((certificate) => publicKeyHash(certificate) === caHash);
  if (ca) return ca.toString();
  throw new AgentError(
    `the CA of ${endpoint} is not the one that the join token names (wrong CA hash): this may be another cluster, or ` +
      "somebody between this machine and it; nothing was sent",
  );
}

function presentedChain(url: URL, endpoint: string): Promise<X509Certificate[]> {
  return new Promise((resolve, reject) => {
    const host = url.hostname.replace(/^\[|\]$/g, "");
    const socket = connect({
      host,
      port: Number(url.port || 443),
      // Only the public key is looked at, and only to be compared.
      rejectUnauthorized: false,
      ...(isAddress(host) ? {} : { servername: host }),
      timeout: TIMEOUT_MS,
    });
    const fail = (message: string) => {
      socket.destroy();
      reject(new AgentError(message));
    };
    socket.once("secureConnect", () => {
      const chain = walk(socket.getPeerCertificate(true));
      socket.destroy();
      resolve(chain);
    });
    socket.once("timeout", () => fail(`${endpoint} does not answer within ${TIMEOUT_MS / 1000} s`));
    socket.once("error", (error) => fail(explainFailure(error, endpoint)));
  });
}

/** Leaf first. The root is its own issuer. */
function walk(leaf: DetailedPeerCertificate): X509Certificate[] {
  const chain: X509Certificate[] = [];
  let next: DetailedPeerCertificate | undefined = leaf;
  while (next?.raw && chain.length < MAX_CHAIN) {
    chain.push(new X509Certificate(next.raw));
    if (next.issuerCertificate === next || next.issuerCertificate?.fingerprint256 === next.fingerprint256) break;
    next = next.issuerCertificate;
  }
  return chain;
}

const isAddress = (host: string) => /^[\d.]+$/.test(host) || host.includes(":");
