import { invalidValue, required } from "../../../shared/api/field-error.ts";
import type { KubeObject } from "../../../shared/api/object.ts";
import { conflict, forbidden, invalid, notFound, type StatusCause } from "../../../shared/api/status.ts";
import { decodeObject, dropEmpty } from "../../../shared/schema/index.ts";
import { admit } from "../admission/index.ts";
import { valueAnswer } from "../answer.ts";
import { ISSUER, issueServiceAccountToken, type TokenOrder } from "../authn/index.ts";
import { clusterReader } from "../cluster-reader.ts";
import { clusterWriter } from "../cluster-writer.ts";
import { checkTypeMeta, parseBody } from "../decode.ts";
import { rfc3339 } from "../object-text.ts";
import { parseWriteOptions } from "../query-options.ts";
import type { Handler, ResourceRequest } from "../resource-request.ts";

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
  const text = await call.body();
  const value = checkTypeMeta(parseBody(text, call.headers.get("content-type"), "TokenRequest"), TOKEN_REQUEST, text);
  const { object } = decodeObject(SCHEMA, value as never, fieldValidation);
  dropEmpty(SCHEMA, object, "unwritten");
  const decoded = object as unknown as TokenRequest;
  await admit({
    operation: "CREATE",
    attributes: { ...request.attributes, dryRun },
    user: context.user,
    object: decoded,
    reader: clusterReader(context.env, context.cluster),
    writer: clusterWriter(context.env, context.cluster),
    warn: (text) => request.warnings.push(text),
  });
  const account = await findAccount(request, decoded);
  const spec = decoded.spec ?? {};
  const expirationSeconds = spec.expirationSeconds ?? DEFAULT_SECONDS;
  const causes = validate(spec, expirationSeconds);
  if (causes.length > 0) throw invalid(TOKEN_REQUEST, decoded.metadata.name ?? "", causes);
  const reference = spec.boundObjectRef ?? undefined;
  const order: TokenOrder = {
    serviceAccount: { namespace: info.namespace, name: info.name, uid: account.metadata.uid! },
    expirationSeconds,
    audiences: spec.audiences ?? [],
    ...(reference ? await boundTo(request, reference) : {}),
  };
  const issued = dryRun ? undefined : await issueServiceAccountToken(context.env, context.cluster, order);
  return valueAnswer(
    201,
    {
      kind: "TokenRequest",
      apiVersion: "authentication.k8s.io/v1",
      metadata: {
        name: info.name,
        namespace: info.namespace,
        uid: account.metadata.uid,
        creationTimestamp: rfc3339(Date.now()),
      },
      spec: {
        audiences: order.audiences.length > 0 ? order.audiences : [ISSUER],
        expirationSeconds,
        boundObjectRef: reference ?? null,
      },
      status: { token: issued?.token ?? "", expirationTimestamp: issued?.expirationTimestamp ?? null },
    },
    output,
  );
};

async function findAccount({ context, info }: ResourceRequest, { metadata }: TokenRequest): Promise<KubeObject> {
  const named = (field: "name" | "namespace") =>
    invalid(TOKEN_REQUEST, info.name, [
      invalidValue(`metadata.${field}`, metadata[field], `must match the service account ${field} if specified`),
    ]);
  if (metadata.name && metadata.name !== info.name) throw named("name");
  if (metadata.namespace && metadata.namespace !== info.namespace) throw named("namespace");
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

function validate({ boundObjectRef: reference }: NonNullable<TokenRequest["spec"]>, seconds: number): StatusCause[] {
  const causes: StatusCause[] = [];
  if (seconds < MIN_SECONDS) {
    causes.push(invalidValue("spec.expirationSeconds", seconds, "may not specify a duration less than 10 minutes"));
  }
  if (seconds > MAX_SECONDS) {
    causes.push(invalidValue("spec.expirationSeconds", seconds, "may not specify a duration larger than 2^32 seconds"));
  }
  if (reference && !reference.name) causes.push(required("spec.boundObjectRef.name"));
  return causes;
}

/** The object whose end is the token's end too. @throws ApiError 404 and 409 when it is not the one that is meant */
async function boundTo(
  { context, info }: ResourceRequest,
  reference: BoundObjectRef,
): Promise<Pick<TokenOrder, "pod" | "secret" | "node">> {
  const { kind = "", name = "", uid } = reference;
  const reader = clusterReader(context.env, context.cluster);
  const find = async (resource: string, namespace?: string) => {
    const object = await reader.getLive({ group: "", resource }, name, namespace);
    if (!object) throw notFound({ group: "", resource }, name);
    if (uid && uid !== object.metadata.uid) {
      throw conflict(
        { group: "", resource },
        name,
        `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
      );
    }
    return object;
  };
  switch (kind) {
    case "Pod": {
      const pod = await find("pods", info.namespace);
      const spec = (pod.spec ?? {}) as { serviceAccountName?: string; nodeName?: string };
      if (spec.serviceAccountName !== info.name) {
        throw forbidden(
          { group: "", resource: "pods" },
          name,
          `cannot bind token for serviceaccount ${JSON.stringify(info.name)} to pod running with different serviceaccount name.`,
        );
      }
      const node = spec.nodeName ? await reader.get({ group: "", resource: "nodes" }, spec.nodeName) : undefined;
      return {
        pod: { name, uid: pod.metadata.uid! },
        ...(spec.nodeName ? { node: { name: spec.nodeName, ...(node ? { uid: node.metadata.uid! } : {}) } } : {}),
      };
    }
    case "Secret": {
      const secret = await find("secrets", info.namespace);
      return { secret: { name, uid: secret.metadata.uid! } };
    }
    case "Node": {
      const node = await find("nodes");
      return { node: { name, uid: node.metadata.uid! } };
    }
    default:
      throw invalid(TOKEN_REQUEST, "", [
        invalidValue("spec.boundObjectRef", reference, "cannot bind to this kind of object"),
      ]);
  }
}
