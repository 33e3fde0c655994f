import { invalidValue, quote } from "../../../shared/api/field-error.ts";
import type { KubeObject } from "../../../shared/api/object.ts";
import { badRequest, conflict, invalid, notFound, type StatusCause } from "../../../shared/api/status.ts";
import { printTime } from "../../../shared/api/timestamp.ts";
import { dropEmpty } from "../../../shared/schema/index.ts";
import { admit } from "../admission/index.ts";
import { valueAnswer } from "../answer.ts";
import { ISSUER, issueServiceAccountToken, type TokenOrder } from "../authn/index.ts";
import { clusterReader } from "../cluster-reader.ts";
import { clusterWriter } from "../cluster-writer.ts";
import { trackFields } from "../field-management.ts";
import { matchNamespace } from "../object-metadata.ts";
import { parseWriteOptions } from "../query-options.ts";
import type { Handler, ResourceRequest } from "../resource-request.ts";
import { readTyped } from "../typed-body.ts";

const TOKEN_REQUEST = { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest" };
const SCHEMA = "io.k8s.api.authentication.v1.TokenRequest";
const SERVICE_ACCOUNTS = { group: "", resource: "serviceaccounts" };
const DEFAULT_SECONDS = 3_600;
const MIN_SECONDS = 600;
const MAX_SECONDS = 2 ** 32;

interface BoundObjectRef {
  kind?: string;
  apiVersion?: string;
  name?: string;
  uid?: string;
}

interface TokenRequest extends KubeObject {
  spec?: { audiences?: string[]; expirationSeconds?: number; boundObjectRef?: BoundObjectRef | null };
}

/** `serviceaccounts/<name>/token`: a signed token, bound to a pod, secret or node if the request says so. */
export const createToken: Handler = async (request) => {
  const { call, info, context, output } = request;
  const { dryRun, fieldValidation } = parseWriteOptions(call.url.searchParams, "CreateOptions");
  const object = await readTyped(request, { ...TOKEN_REQUEST, schema: SCHEMA }, fieldValidation);
  dropEmpty(SCHEMA, object, "unwritten");
  const decoded = object as unknown as TokenRequest;
  decoded.metadata ??= { name: "" };
  matchNamespace(decoded, info.namespace);
  decoded.spec ??= {};
  decoded.spec.expirationSeconds ??= DEFAULT_SECONDS;
  trackFields(
    { ...request, facts: { ...request.facts, ...TOKEN_REQUEST, schema: SCHEMA, storedAs: undefined } },
    undefined,
    decoded,
  );
  await admit({
    operation: "CREATE",
    attributes: { ...request.attributes, dryRun },
    user: context.user,
    object: decoded,
    reader: clusterReader(context.env, context.cluster),
    writer: clusterWriter(context.env, context.cluster),
    causes: [],
    warn: (text) => request.warnings.push(text),
  });
  const account = await findAccount(request, decoded);
  const { spec } = decoded;
  const { expirationSeconds = DEFAULT_SECONDS } = spec;
  const causes = validate(expirationSeconds);
  if (causes.length > 0) throw invalid(TOKEN_REQUEST, "", causes);
  const reference = spec.boundObjectRef ?? undefined;
  const order: TokenOrder = {
    serviceAccount: { namespace: info.namespace, name: info.name, uid: account.metadata.uid! },
    expirationSeconds,
    audiences: spec.audiences ?? [],
    ...(reference ? await boundTo(request, reference) : {}),
  };
  // Nothing is stored, so a dry run gets one too, as upstream.
  const issued = await issueServiceAccountToken(context.env, context.cluster, order);
  return valueAnswer(
    201,
    {
      kind: "TokenRequest",
      apiVersion: "authentication.k8s.io/v1",
      metadata: {
        ...decoded.metadata,
        name: info.name,
        namespace: info.namespace,
        uid: account.metadata.uid,
        creationTimestamp: printTime(Date.now()),
      },
      spec: {
        audiences: order.audiences.length > 0 ? order.audiences : [ISSUER],
        expirationSeconds,
        boundObjectRef: reference ?? null,
      },
      status: { token: issued.token, expirationTimestamp: issued.expirationTimestamp },
    },
    output,
  );
};

async function findAccount({ context, info }: ResourceRequest, { metadata }: TokenRequest): Promise<KubeObject> {
  if (metadata.name && metadata.name !== info.name) {
    throw invalid(TOKEN_REQUEST, info.name, [
      invalidValue("metadata.name", metadata.name, "must match the service account name if specified"),
    ]);
  }
  const account = await clusterReader(context.env, context.cluster).getLive(
    SERVICE_ACCOUNTS,
    info.name,
    info.namespace,
  );
  if (!account) throw notFound(SERVICE_ACCOUNTS, info.name);
  if (metadata.uid && metadata.uid !== account.metadata.uid) {
    throw conflict(
      { group: TOKEN_REQUEST.group, resource: TOKEN_REQUEST.kind },
      info.name,
      `the UID in the token request (${metadata.uid}) does not match the UID of the service account (${account.metadata.uid})`,
    );
  }
  return account;
}

function validate(seconds: number): StatusCause[] {
  const causes: StatusCause[] = [];
  if (seconds < MIN_SECONDS) {
    causes.push(invalidValue("spec.expirationSeconds", seconds, "may not specify a duration less than 10 minutes"));
  }
  if (seconds > MAX_SECONDS) {
    causes.push(invalidValue("spec.expirationSeconds", seconds, "may not specify a duration larger than 2^32 seconds"));
  }
  return causes;
}

/** The object whose end is the token's end too. @throws ApiError 400, 404 and 409 when it is not the one that is meant */
async function boundTo(
  { context, info }: ResourceRequest,
  reference: BoundObjectRef,
): Promise<Pick<TokenOrder, "pod" | "secret" | "node">> {
  const { kind = "", apiVersion = "", name = "", uid } = reference;
  const [version = "", group = "", extra] = apiVersion.split("/").reverse();
  const reader = clusterReader(context.env, context.cluster);
  const find = async (resource: string, namespace?: string) => {
    if (name === "") throw badRequest("Name parameter required.");
    const object = await reader.getLive({ group: "", resource }, name, namespace);
    if (!object) throw notFound({ group: "", resource }, name);
    return object;
  };
  const checkUid = (object: KubeObject) => {
    if (uid && uid !== object.metadata.uid) {
      throw conflict(
        { group: "", resource: kind },
        name,
        `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
      );
    }
  };
  switch (group === "" ? kind : "") {
    case "Pod": {
      const pod = await find("pods", info.namespace);
      const spec = (pod.spec ?? {}) as { serviceAccountName?: string; nodeName?: string };
      if (spec.serviceAccountName !== info.name) {
        const account = quote(info.name);
        throw badRequest(
          `cannot bind token for serviceaccount ${account} to pod running with different serviceaccount name.`,
        );
      }
      checkUid(pod);
      const node = spec.nodeName ? await reader.get({ group: "", resource: "nodes" }, spec.nodeName) : undefined;
      return {
        pod: { name, uid: pod.metadata.uid! },
        ...(spec.nodeName ? { node: { name: spec.nodeName, ...(node ? { uid: node.metadata.uid! } : {}) } } : {}),
      };
    }
    case "Secret": {
      const secret = await find("secrets", info.namespace);
      checkUid(secret);
      return { secret: { name, uid: secret.metadata.uid! } };
    }
    case "Node": {
      const node = await find("nodes");
      checkUid(node);
      return { node: { name, uid: node.metadata.uid! } };
    }
    default:
      // A version with more than one slash is none.
      throw badRequest(
        `cannot bind token to object of type ${extra === undefined ? `${group}/${version}` : "/"}, Kind=${kind}`,
      );
  }
}
