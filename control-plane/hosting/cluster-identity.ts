import { DurableObject } from "cloudflare:workers";
import {
  apiClusterIp,
  type ClusterNetwork,
  checkNetworkChange,
  DEFAULT_CLUSTER_NETWORK,
} from "../../shared/api/cluster-network.ts";
import { messageOf } from "../../shared/message-of.ts";
import type { Env } from "../env.ts";
import {
  type CertificateAuthority,
  createCertificateAuthority,
  importCaPrivateKey,
  issueNodeApiCertificate,
  issueServingCertificate,
} from "./certificate-authority.ts";
import { fromHex, randomText, sha256Hex, utf8 } from "./encoding.ts";
import * as tables from "./identity-tables.ts";
import { type IssueRequest, issueCertificate } from "./issued-certificate.ts";
import { createJoinSecret, decideJoin, type JoinVerdict, splitJoinSecret } from "./join-token-secret.ts";
import {
  createServiceAccountKey,
  importServiceAccountPrivateKey,
  type ServiceAccountPublicJwk,
  signJwt,
} from "./service-account-key.ts";
import { deriveWrappingKey, unwrapSecret, wrapSecret } from "./wrapped-key.ts";

const TOKEN_SECRET_BYTES = 32;
/** How long an expired join token is remembered, so that its bearer is told that it expired. */
const EXPIRED_TOKEN_MEMORY_MS = 7 * 24 * 3600 * 1000;
/** Tokens alive at once; nobody needs more, and a leaked admin script must not fill the disk. */
const MAX_JOIN_TOKENS = 1000;

/** What any isolate of the Worker may know of a cluster's identity. */
export interface PublicIdentity {
  caCertificatePem: string;
  /** `sha256:<hex>`, as join tokens carry it. */
  caHash: string;
  adminTokenHash: string;
  serviceAccountJwk: ServiceAccountPublicJwk;
  advertised?: AdvertisedAddress;
  network: ClusterNetwork;
}

/** Where nodes reach the front door. Unknown when hosted: there is a name, whose addresses are the edge's. */
export interface AdvertisedAddress {
  ip: string;
  port: number;
}

export type JoinResult =
  | { ok: true; credential: string; caCertificatePem: string; network: ClusterNetwork }
  | { ok: false; reason: "unknown" | "expired" };

/** Who a cluster is: its CA, its signing keys, its join tokens and its nodes' credentials. One per cluster. */
export class ClusterIdentity extends DurableObject<Env> {
  readonly #sql = this.ctx.storage.sql;
  #ca: CertificateAuthority | undefined;
  #serviceAccountKey: { key: CryptoKey; kid: string } | undefined;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    tables.migrateIdentity(ctx.storage);
  }

  /**
   * Makes the identity if there is none yet; may be repeated, with another address, and with another network as far as
   * `checkNetworkChange` lets it.
   * @returns the admin token, the CA's certificate and the network; or why it cannot have that network
   */
  async create(
    cluster: string,
    { advertised, network }: { advertised?: AdvertisedAddress | undefined; network?: ClusterNetwork | undefined } = {},
  ): Promise<
    { ok: true; adminToken: string; caCertificatePem: string; network: ClusterNetwork } | { ok: false; error: string }
  > {
    // One at a time: two creations at once would each make keys, and one would be lost.
    await this.ctx.blockConcurrencyWhile(async () => {
      if (tables.readFact(this.#sql, "cluster") !== undefined) return;
      await this.#generate(cluster, network ?? DEFAULT_CLUSTER_NETWORK);
    });
    const known = this.#network();
    const error = network && checkNetworkChange(known, network);
    if (error !== undefined) return { ok: false, error };
    const address = advertised && JSON.stringify(advertised);
    if (address !== undefined && address !== tables.readFact(this.#sql, "advertisedAddress"))
      tables.putFact(this.#sql, "advertisedAddress", address);
    const chosen = network ?? known;
    if (JSON.stringify(chosen) !== JSON.stringify(known)) {
      tables.putFact(this.#sql, "network", JSON.stringify(chosen));
    }
    const wrappingKey = await this.#wrappingKey();
    const adminToken = await unwrapSecret(wrappingKey, "adminToken", this.#fact("adminTokenWrapped"));
    return {
      ok: true,
      adminToken: new TextDecoder().decode(adminToken),
      caCertificatePem: this.#fact("caCertificate"),
      network: chosen,
    };
  }

  /** Undefined when the cluster was never created. */
  async publicIdentity(): Promise<PublicIdentity | undefined> {
    if (tables.readFact(this.#sql, "cluster") === undefined) return undefined;
    const advertised = tables.readFact(this.#sql, "advertisedAddress");
    return {
      ...(advertised === undefined ? {} : { advertised: JSON.parse(advertised) as AdvertisedAddress }),
      network: this.#network(),
      caCertificatePem: this.#fact("caCertificate"),
      caHash: this.#fact("caPublicKeyHash"),
      adminTokenHash: this.#fact("adminTokenHash"),
      serviceAccountJwk: JSON.parse(this.#fact("serviceAccountPublicJwk")) as ServiceAccountPublicJwk,
    };
  }

  /** A certificate for the front door's own public key. */
  async issueServingCertificate(request: {
    publicKeyPem: string;
    dnsNames: string[];
    ipAddresses: string[];
  }): Promise<string> {
    this.#ca ??= await this.#openCa();
    return issueServingCertificate(this.#ca, request, Date.now());
  }

  /** A certificate for the API that a node serves to its pods; undefined if the key is none. */
  async issueNodeApiCertificate(request: { publicKeyPem: string; node: string }): Promise<string | undefined> {
    this.#ca ??= await this.#openCa();
    // The key is all that the node had a say in.
    const clusterIp = apiClusterIp(this.#network());
    return issueNodeApiCertificate(this.#ca, { ...request, clusterIp }, Date.now()).catch(() => undefined);
  }

  /**
   * A certificate for an approved request, PEM; or why it cannot be made.
   * @param request parsed and checked here again: the CA's key signs nothing else
   */
  async issueCertificate(request: IssueRequest): Promise<{ certificatePem: string } | { error: string }> {
    this.#ca ??= await this.#openCa();
    try {
      return { certificatePem: await issueCertificate(this.#ca, request, Date.now()) };
    } catch (error) {
      return { error: messageOf(error) };
    }
  }

  /** A compact JWT over the claims, signed with the cluster's service-account key. */
  async signServiceAccountToken(claims: object): Promise<string> {
    this.#serviceAccountKey ??= await this.#openServiceAccountKey();
    const { key, kid } = this.#serviceAccountKey;
    return signJwt(key, kid, claims);
  }

  /** @returns `<id>.<secret>`; undefined when MAX_JOIN_TOKENS are alive */
  async createJoinToken(ttlSeconds: number): Promise<{ secret: string; expiresMs: number } | undefined> {
    const nowMs = Date.now();
    const { secret, row } = await createJoinSecret(nowMs + ttlSeconds * 1000);
    tables.deleteJoinTokensExpiredBefore(this.#sql, nowMs - EXPIRED_TOKEN_MEMORY_MS);
    if (tables.countJoinTokens(this.#sql) >= MAX_JOIN_TOKENS) return undefined;
    tables.insertJoinToken(this.#sql, row, nowMs);
    return { secret, expiresMs: row.expiresMs };
  }

  /** Exchanges a join token for the node's credential; an earlier credential of that node ends here. */
  async join(token: string, nodeName: string): Promise<JoinResult> {
    const parts = splitJoinSecret(token);
    if (!parts) return { ok: false, reason: "unknown" };
    const secretHash = await sha256Hex(parts.secretPart);
    const credential = `hearth-node.${this.#fact("cluster")}.${randomText(TOKEN_SECRET_BYTES)}`;
    const credentialHash = await sha256Hex(credential);
    const nowMs = Date.now();
    const verdict: JoinVerdict = decideJoin(tables.readJoinToken(this.#sql, parts.id), secretHash, nowMs);
    if (!verdict.ok) return verdict;
    tables.putNodeCredential(this.#sql, { node: nodeName, credentialHash }, nowMs);
    return { ok: true, credential, caCertificatePem: this.#fact("caCertificate"), network: this.#network() };
  }

  /** The node that holds a credential, by the credential's hash; undefined when none does (any more). */
  async findNode(credentialHash: string): Promise<string | undefined> {
    return tables.findNodeByCredential(this.#sql, credentialHash);
  }

  /** @returns whether the node had a credential */
  async revokeNode(node: string): Promise<boolean> {
    return tables.deleteNodeCredential(this.#sql, node);
  }

  /** All in one transaction: a cluster that is there has its keys, and the ranges that it was asked for. */
  async #generate(cluster: string, network: ClusterNetwork): Promise<void> {
    const wrappingKey = await deriveWrappingKey(this.env.ROOT_SECRET, cluster);
    const [ca, serviceAccount] = await Promise.all([
      createCertificateAuthority(cluster, Date.now()),
      createServiceAccountKey(),
    ]);
    const adminToken = `hearth-admin.${cluster}.${randomText(TOKEN_SECRET_BYTES)}`;
    const facts: [tables.FactName, string][] = [
      ["cluster", cluster],
      ["network", JSON.stringify(network)],
      ["caCertificate", ca.certificatePem],
      ["caCommonName", ca.commonName],
      ["caKeyId", ca.keyIdHex],
      ["caPublicKeyHash", ca.publicKeyHash],
      ["caKeyWrapped", await wrapSecret(wrappingKey, "caKey", ca.privateKeyPkcs8)],
      ["serviceAccountKeyWrapped", await wrapSecret(wrappingKey, "serviceAccountKey", serviceAccount.privateKeyPkcs8)],
      ["serviceAccountPublicJwk", JSON.stringify(serviceAccount.publicJwk)],
      ["adminTokenWrapped", await wrapSecret(wrappingKey, "adminToken", utf8(adminToken))],
      ["adminTokenHash", await sha256Hex(adminToken)],
    ];
    this.ctx.storage.transactionSync(() => {
      for (const [name, value] of facts) tables.insertFact(this.#sql, name, value);
    });
  }

  async #openCa(): Promise<CertificateAuthority> {
    const pkcs8 = await unwrapSecret(await this.#wrappingKey(), "caKey", this.#fact("caKeyWrapped"));
    return {
      commonName: this.#fact("caCommonName"),
      keyId: fromHex(this.#fact("caKeyId")),
      privateKey: await importCaPrivateKey(pkcs8),
    };
  }

  async #openServiceAccountKey(): Promise<{ key: CryptoKey; kid: string }> {
    const wrapped = this.#fact("serviceAccountKeyWrapped");
    const pkcs8 = await unwrapSecret(await this.#wrappingKey(), "serviceAccountKey", wrapped);
    const { kid } = JSON.parse(this.#fact("serviceAccountPublicJwk")) as ServiceAccountPublicJwk;
    return { key: await importServiceAccountPrivateKey(pkcs8), kid };
  }

  #wrappingKey(): Promise<CryptoKey> {
    return deriveWrappingKey(this.env.ROOT_SECRET, this.#fact("cluster"));
  }

  /** One from before networks were kept has the default one. */
  #network(): ClusterNetwork {
    const text = tables.readFact(this.#sql, "network");
    return text === undefined ? DEFAULT_CLUSTER_NETWORK : (JSON.parse(text) as ClusterNetwork);
  }

  #fact(name: tables.FactName): string {
    const value = tables.readFact(this.#sql, name);
    if (value === undefined) throw new Error(`the cluster has no identity yet (${name})`);
    return value;
  }
}
