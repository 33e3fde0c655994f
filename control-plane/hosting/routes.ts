import { type ClusterNetwork, parseClusterNetwork } from "../../shared/api/cluster-network.ts";
import {
  ApiError,
  badRequest,
  failure,
  internalError,
  methodNotAllowed,
  notFound,
  pathNotFound,
  tooManyRequests,
  unauthorized,
} from "../../shared/api/status.ts";
import type { Env } from "../env.ts";
import { enterCluster, isCluster } from "./cluster-directory.ts";
import type { ClusterIdentity } from "./cluster-identity.ts";
import { sha256Hex } from "./encoding.ts";
import {
  CLUSTER_ID,
  clusterRequest,
  joinRequest,
  joinTokenRequest,
  nodeApiCertificateRequest,
  parseBody,
  servingCertificateRequest,
} from "./requests.ts";
import { bearsRootSecret } from "./root-secret.ts";

export const HOSTING_PREFIX = "/hearth/v1/";

/** A clock further off than this breaks certificates and token lifetimes; better said when joining than found later. */
const MAX_CLOCK_SKEW_MS = 5 * 60 * 1000;

/** What a new cluster needs beside its identity: namespaces, default roles and the like. Belongs to the API server. */
export type BootstrapCluster = (
  env: Env,
  cluster: string,
  options: { network: ClusterNetwork; apiPort?: number | undefined },
) => Promise<void>;

/**
 * Serves everything under HOSTING_PREFIX. Never throws: every failure is a Status.
 * @param cluster the cluster of the request's host or path; undefined where there is none (join then cannot work)
 */
export async function handleHostingRequest(
  request: Request,
  env: Env,
  cluster: string | undefined,
  bootstrapCluster?: BootstrapCluster,
): Promise<Response> {
  return answered(request, () => route(request, env, cluster, bootstrapCluster));
}

/**
 * A node's request for the certificate of the API that it serves to its pods (NODE_API_CERTIFICATE_PATH). Never throws.
 * @param node who asks, as its tunnel says: the request itself has only the key
 */
export async function certifyNodeApi(
  request: Request,
  env: Env,
  { cluster, node }: { cluster: string; node: string },
): Promise<Response> {
  return answered(request, async () => {
    requirePost(request);
    const { publicKeyPem } = await parseBody(request, nodeApiCertificateRequest);
    const certificatePem = await identityOf(env, cluster).issueNodeApiCertificate({ publicKeyPem, node });
    if (certificatePem === undefined) throw badRequest("publicKeyPem: must be a public key on P-256 in PEM");
    return Response.json({ certificatePem });
  });
}

async function answered(request: Request, serve: () => Promise<Response>): Promise<Response> {
  try {
    return await serve();
  } catch (error) {
    if (!(error instanceof ApiError)) console.error("hosting request failed", request.method, request.url, error);
    const { status } = error instanceof ApiError ? error : internalError("the request could not be served");
    return Response.json(status, { status: status.code });
  }
}

async function route(
  request: Request,
  env: Env,
  cluster: string | undefined,
  bootstrapCluster: BootstrapCluster | undefined,
): Promise<Response> {
  const { pathname } = new URL(request.url);
  const at = pathname.indexOf(HOSTING_PREFIX);
  if (at < 0) throw pathNotFound();
  const [area, id, action, extra] = pathname.slice(at + HOSTING_PREFIX.length).split("/");
  if (area === "join" && id === undefined) return join(request, env, cluster);
  if (area !== "clusters" || id === undefined || extra !== undefined) throw pathNotFound();
  if (!CLUSTER_ID.test(id)) throw badRequest(`"${id}" is not a cluster id: it must be a DNS label`);
  const identity = identityOf(env, id);
  switch (action) {
    case undefined:
      return createCluster(request, env, id, bootstrapCluster);
    case "serving-certificate":
      return issueCertificate(request, env, identity);
    case "join-tokens":
      return createJoinToken(request, env, id);
    default:
      throw pathNotFound();
  }
}

export function identityOf(env: Env, cluster: string): DurableObjectStub<ClusterIdentity> {
  return env.CLUSTERS.get(env.CLUSTERS.idFromName(cluster));
}

async function createCluster(
  request: Request,
  env: Env,
  cluster: string,
  bootstrapCluster: BootstrapCluster | undefined,
): Promise<Response> {
  await requireRoot(request, env);
  const { advertised, network: options } = await parseBody(request, clusterRequest);
  const identity = await identityOf(env, cluster).create(cluster, {
    advertised,
    network: options && (await askedNetwork(env, cluster, options)),
  });
  if (!identity.ok) throw badRequest(identity.error);
  const { network } = identity;
  await enterCluster(env, cluster);
  await bootstrapCluster?.(env, cluster, { network, apiPort: advertised?.port });
  // After a crash nothing else would tell the controllers of work that they left undone.
  await env.CONTROLLERS?.getByName(cluster).wake(cluster);
  const { adminToken, caCertificatePem: clusterCa } = identity;
  return Response.json({ cluster, adminToken, clusterCa, serviceCidrs: network.serviceCidrs });
}

/** What is not said stays as the cluster has it. */
async function askedNetwork(
  env: Env,
  cluster: string,
  options: { clusterCidr?: string | undefined; serviceClusterIpRange?: string | undefined },
): Promise<ClusterNetwork> {
  const known = (await identityOf(env, cluster).publicIdentity())?.network;
  const parsed = parseClusterNetwork(options, known);
  if ("error" in parsed) throw badRequest(parsed.error);
  return parsed.network;
}

async function issueCertificate(
  request: Request,
  env: Env,
  identity: DurableObjectStub<ClusterIdentity>,
): Promise<Response> {
  await requireRoot(request, env);
  const names = await parseBody(request, servingCertificateRequest);
  return Response.json({ certificatePem: await identity.issueServingCertificate(names) });
}

async function createJoinToken(request: Request, env: Env, cluster: string): Promise<Response> {
  const identity = identityOf(env, cluster);
  const known = (await isCluster(env, cluster)) ? await identity.publicIdentity() : undefined;
  if (!(await bearsRootSecret(request.headers.get("authorization"), env.ROOT_SECRET))) {
    await requireAdmin(request, known?.adminTokenHash);
  } else requirePost(request);
  if (!known) throw notFound({ group: "hearth", resource: "clusters" }, "");
  const { ttlSeconds } = await parseBody(request, joinTokenRequest);
  const created = await identity.createJoinToken(ttlSeconds);
  if (!created) throw tooManyRequests("too many join tokens are alive; let some expire first", 60);
  return Response.json({
    token: created.secret,
    expires: new Date(created.expiresMs).toISOString(),
    caHash: known.caHash,
  });
}

async function join(request: Request, env: Env, cluster: string | undefined): Promise<Response> {
  requirePost(request);
  if (cluster === undefined || !(await isCluster(env, cluster)))
    throw badRequest("no cluster is served at this address; use the endpoint of the token");
  const { token, nodeName, nowMs } = await parseBody(request, joinRequest);
  const skewMs = nowMs - Date.now();
  if (Math.abs(skewMs) > MAX_CLOCK_SKEW_MS) throw badRequest(clockSkewMessage(skewMs));
  const result = await identityOf(env, cluster).join(token, nodeName);
  if (!result.ok) {
    throw failure(
      401,
      "Unauthorized",
      result.reason === "expired"
        ? "the join token has expired; create a new one with `./hearth token create`"
        : "the join token is not known to this cluster; create one with `./hearth token create`",
    );
  }
  const { credential, caCertificatePem: clusterCa, network } = result;
  return Response.json({ cluster, nodeName, credential, clusterCa, serviceCidrs: network.serviceCidrs });
}

/** @param skewMs the node's clock less ours */
export function clockSkewMessage(skewMs: number): string {
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  const where = skewMs > 0 ? "ahead of" : "behind";
  return `this machine's clock is ${seconds} s ${where} the cluster's (at most 300 s are allowed); set the clock, then join again`;
}

function requirePost(request: Request): void {
  if (request.method !== "POST")
    throw methodNotAllowed({ group: "", resource: "hearth" }, request.method.toLowerCase());
}

async function requireRoot(request: Request, env: Env): Promise<void> {
  requirePost(request);
  if (!(await bearsRootSecret(request.headers.get("authorization"), env.ROOT_SECRET))) throw unauthorized();
}

async function requireAdmin(request: Request, adminTokenHash: string | undefined): Promise<void> {
  requirePost(request);
  const token = request.headers.get("authorization")?.replace(/^Bearer /, "") ?? "";
  if (!adminTokenHash || (await sha256Hex(token)) !== adminTokenHash) throw unauthorized();
}
