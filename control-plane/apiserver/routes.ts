import { badRequest, failure, methodNotAllowed, pathNotFound } from "../../shared/api/status.ts";
import { findResource, type ResourceFacts, type SubresourceFacts } from "../../shared/schema/index.ts";
import type { ConnectHandler } from "./call.ts";
import { readComponentStatus } from "./component-status.ts";
import { createObject } from "./handlers/create.ts";
import { deleteObject } from "./handlers/delete.ts";
import { deleteCollection } from "./handlers/delete-collection.ts";
import { getObject } from "./handlers/get.ts";
import { listObjects } from "./handlers/list.ts";
import { patchObject, patchStatus } from "./handlers/patch.ts";
import { updateObject, updateStatus } from "./handlers/update.ts";
import { watchObjects } from "./handlers/watch.ts";
import type { RequestInfo } from "./request-info.ts";
import type { Handler } from "./resource-request.ts";
import {
  createLocalSubjectAccessReview,
  createSelfSubjectAccessReview,
  createSelfSubjectReview,
  createSelfSubjectRulesReview,
  createSubjectAccessReview,
  createTokenReview,
} from "./reviews/index.ts";
import { podAttach } from "./subresources/attach.ts";
import { createBinding } from "./subresources/binding.ts";
import {
  patchApproval,
  patchIssued,
  updateApproval,
  updateIssued,
} from "./subresources/certificate-signing-request.ts";
import { connect, connectToCreate, connectToRead } from "./subresources/connect.ts";
import { createEviction } from "./subresources/eviction.ts";
import { podExec } from "./subresources/exec.ts";
import { podLog } from "./subresources/log.ts";
import { finalizeNamespace } from "./subresources/namespace-finalize.ts";
import {
  patchEphemeralContainers,
  patchResize,
  updateEphemeralContainers,
  updateResize,
} from "./subresources/pod-parts.ts";
import { podPortForward } from "./subresources/portforward.ts";
import { nodeProxy, podProxy, serviceProxy } from "./subresources/proxy/index.ts";
import { getScale, patchScale, updateScale } from "./subresources/scale.ts";
import { createToken } from "./subresources/service-account-token.ts";

/** What every stored resource can do. */
const HANDLERS: Record<string, Handler> = {
  create: createObject,
  delete: deleteObject,
  deletecollection: deleteCollection,
  get: getObject,
  list: listObjects,
  patch: patchObject,
  update: updateObject,
  watch: watchObjects,
};

/** A proxy takes every method; OPTIONS has no verb. */
const PROXIED_VERBS = ["", "create", "delete", "get", "patch", "update"];
const isProxied = ({ subresource, verb }: RequestInfo, method: string): boolean =>
  subresource === "proxy" && (method === "OPTIONS" || verb !== "");

/** By subresource, or by `<resource>/<subresource>` where the resource has its own. */
const SUBRESOURCES: Record<string, Record<string, Handler>> = {
  status: { get: getObject, patch: patchStatus, update: updateStatus },
  scale: { get: getScale, patch: patchScale, update: updateScale },
  "certificatesigningrequests/approval": { get: getObject, patch: patchApproval, update: updateApproval },
  "certificatesigningrequests/status": { get: getObject, patch: patchIssued, update: updateIssued },
  "namespaces/finalize": { update: finalizeNamespace },
  "nodes/proxy": { ...connectWith(nodeProxy, PROXIED_VERBS), get: connectToRead(nodeProxy) },
  "serviceaccounts/token": { create: createToken },
  "pods/attach": connectToCreateWith(podAttach),
  "pods/binding": { create: createBinding },
  "pods/ephemeralcontainers": { get: getObject, patch: patchEphemeralContainers, update: updateEphemeralContainers },
  "pods/eviction": { create: createEviction },
  "pods/exec": connectToCreateWith(podExec),
  "pods/log": connectWith(podLog, ["get"]),
  "pods/portforward": connectToCreateWith(podPortForward),
  "pods/proxy": connectWith(podProxy, PROXIED_VERBS),
  "pods/resize": { get: getObject, patch: patchResize, update: updateResize },
  "services/proxy": connectWith(serviceProxy, PROXIED_VERBS),
};

/** Resources that store nothing: they are answered at once, or act on another resource. */
const VIRTUAL: Record<string, Handler> = {
  "/bindings": createBinding,
  "/componentstatuses": readComponentStatus,
  "authentication.k8s.io/selfsubjectreviews": createSelfSubjectReview,
  "authentication.k8s.io/tokenreviews": createTokenReview,
  "authorization.k8s.io/localsubjectaccessreviews": createLocalSubjectAccessReview,
  "authorization.k8s.io/selfsubjectaccessreviews": createSelfSubjectAccessReview,
  "authorization.k8s.io/selfsubjectrulesreviews": createSelfSubjectRulesReview,
  "authorization.k8s.io/subjectaccessreviews": createSubjectAccessReview,
};

function connectWith(handler: ConnectHandler, verbs: string[]): Record<string, Handler> {
  return Object.fromEntries(verbs.map((verb) => [verb, connect(handler)]));
}

function connectToCreateWith(handler: ConnectHandler): Record<string, Handler> {
  return { create: connectToCreate(handler), get: connectToCreate(handler) };
}

export interface Route {
  facts: ResourceFacts;
  subresource?: SubresourceFacts;
  handler: Handler;
}

const methodNotAllowedHere = () =>
  failure(405, "MethodNotAllowed", "the server does not allow this method on the requested resource", {});

/**
 * Who answers a request.
 * @throws ApiError 404 for a path that is not served, 405 for a method that it does not have
 */
export function routeOf(info: RequestInfo, method: string): Route {
  const facts = findResource(info);
  if (!facts || !isInScope(facts, info) || (info.parts.length > 3 && info.subresource !== "proxy"))
    throw pathNotFound();
  if (info.verb === "proxy") throw pathNotFound();
  const hasSubresource = info.subresource === "" || facts.subresources.some(({ name }) => name === info.subresource);
  if (!hasSubresource) throw pathNotFound();
  if ((info.verb === "" || method === "HEAD") && !isProxied(info, method)) throw methodNotAllowedHere();
  if (info.watchByPath && method !== "GET") throw methodNotAllowedHere();
  if (info.subresource !== "") return subresourceRoute(facts, info);
  const verb = info.watchByPath ? "watch" : info.verb;
  const isCollection = info.parts.length < 2;
  const everywhere = facts.namespaced && info.namespace === "";
  const fits = isCollection
    ? ["list", "watch", ...(everywhere ? [] : ["create", "deletecollection"])].includes(verb)
    : ["get", "update", "patch", "delete", "watch"].includes(verb);
  const handler = facts.virtual ? VIRTUAL[`${facts.group}/${facts.resource}`] : HANDLERS[verb];
  const isServed = (facts.verbs as string[]).includes(verb);
  // Such a list has the path, and is asked for what it cannot do.
  const isListed = (facts.verbs as string[]).includes("list");
  if (verb === "watch" && isCollection && !isServed && isListed) throw methodNotAllowed(facts, "watch");
  // What is only ever created has no names, and so no paths of them; nor one of all namespaces.
  const isOnlyCreated = (facts.verbs as string[]).every((each) => each === "create");
  if (isOnlyCreated && (!isCollection || everywhere)) throw pathNotFound();
  if (!fits || !handler || !isServed) throw methodNotAllowedHere();
  if (!isCollection) checkName(info.name);
  return { facts, handler };
}

/** @throws ApiError 400 for a name that could not be part of a path */
function checkName(name: string): void {
  const why = name === "." || name === ".." ? `may not be '${name}'` : name.includes("%") ? "may not contain '%'" : "";
  if (why !== "") throw badRequest(`Name parameter invalid: ${JSON.stringify(name)}: ${why}`);
}

function isInScope(facts: ResourceFacts, info: RequestInfo): boolean {
  if (!facts.namespaced)
    return info.namespace === "" || (facts.resource === "namespaces" && info.name === info.namespace);
  return info.namespace !== "" || info.parts.length < 2;
}

function subresourceRoute(facts: ResourceFacts, info: RequestInfo): Route {
  const subresource = facts.subresources.find(({ name }) => name === info.subresource);
  if (!subresource) throw pathNotFound();
  const handlers = SUBRESOURCES[`${facts.resource}/${subresource.name}`] ?? SUBRESOURCES[subresource.name];
  const handler = handlers?.[info.verb];
  if (!handler) throw methodNotAllowedHere();
  return { facts, subresource, handler };
}
