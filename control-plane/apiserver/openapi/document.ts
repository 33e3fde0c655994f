import { descriptionsJson } from "../../../generated/descriptions.ts";
import { definitions, RESOURCES } from "../../../shared/schema/index.ts";
import { VERSION_INFO } from "../discovery/index.ts";
import { PRODUCED, PRODUCED_BY_COLLECTIONS } from "../negotiation.ts";
import {
  collectReferences,
  type Descriptions,
  type Dialect,
  type RenderedSchema,
  renderDefinition,
  renderReference,
} from "./dialect.ts";
import { kindsOf } from "./kinds.ts";
import { type Operation, operationsOf } from "./operations.ts";
import { otherPaths } from "./other-paths.ts";
import type { Parameter } from "./parameters.ts";

const INFO = { title: "Kubernetes", version: `${VERSION_INFO.major}.${VERSION_INFO.minor}` };
const STREAMING = new Set<Operation["action"]>(["list", "watch", "watchlist"]);
const PATCHED = [
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
  "application/apply-patch+yaml",
];
const BEARER = {
  BearerToken: { description: "Bearer Token authentication", type: "apiKey", name: "authorization", in: "header" },
};

/** Descriptions are many and long: they are read for one document, and let go. */
const readDescriptions = () => JSON.parse(descriptionsJson()) as Descriptions;

/** `/openapi/v3/apis/<group>/<version>` and the like: some operations with all that they refer to. */
export function renderV3(operations: Operation[]): unknown {
  return {
    openapi: "3.0.0",
    info: INFO,
    paths: renderPaths(operations, "v3"),
    components: { schemas: renderDefinitions(operations, "v3"), securitySchemes: BEARER },
  };
}

/** `/openapi/v2`: everything at once. */
export function renderV2(): object {
  const operations = [...RESOURCES.flatMap(operationsOf), ...otherPaths().map(({ operation }) => operation)];
  return {
    swagger: "2.0",
    info: INFO,
    paths: renderPaths(operations, "v2"),
    definitions: renderDefinitions(operations, "v2"),
    securityDefinitions: BEARER,
    security: [{ BearerToken: [] }],
  };
}

function renderDefinitions(operations: Operation[], dialect: Dialect): Record<string, RenderedSchema> {
  const all = definitions();
  const names = new Set<string>();
  for (const { body, response } of operations) {
    if (body) collectReferences(body, all, names);
    if (response) collectReferences(response, all, names);
  }
  const descriptions = readDescriptions();
  const rendered: Record<string, RenderedSchema> = {};
  for (const name of [...names].sort()) {
    rendered[name] = renderDefinition(name, all[name]!, dialect, descriptions);
    const kinds = kindsOf(name);
    if (kinds.length > 0) rendered[name]["x-kubernetes-group-version-kind"] = kinds;
  }
  return rendered;
}

function renderPaths(operations: Operation[], dialect: Dialect): Record<string, Record<string, unknown>> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [path, atPath] of Map.groupBy(operations, (operation) => operation.path)) {
    const shared = sharedParameters(atPath);
    const item: Record<string, unknown> = {};
    for (const operation of atPath) {
      const own = { ...operation, parameters: operation.parameters.filter(({ name }) => !shared.has(name)) };
      item[operation.method] = dialect === "v2" ? renderOperationV2(own) : renderOperationV3(own);
    }
    if (shared.size > 0) {
      const parameters = [...shared.values()];
      item["parameters"] = dialect === "v2" ? parameters.map(renderParameterV2) : parameters.map(renderParameterV3);
    }
    paths[path] = item;
  }
  return paths;
}

/** What every operation of a path takes is told of the path, as upstream does. */
function sharedParameters([first, ...others]: Operation[]): Map<string, Parameter> {
  const isShared = ({ name }: Parameter) =>
    others.every(({ parameters }) => parameters.some((parameter) => parameter.name === name));
  return new Map(first!.parameters.filter(isShared).map((parameter) => [parameter.name, parameter]));
}

const renderKind = ({ action, kind }: Operation) =>
  action && kind ? { "x-kubernetes-action": action, "x-kubernetes-group-version-kind": kind } : {};

function producedBy({ action, produces, response }: Operation): readonly string[] {
  if (produces) return produces;
  if (!response) return ["*/*"];
  return STREAMING.has(action) ? PRODUCED_BY_COLLECTIONS : PRODUCED;
}

/** Statuses of success by what is done. */
function successes({ method, action }: Operation): Record<string, string> {
  if (action === "connect" || method === "get") return { 200: "OK" };
  if (method === "post") return { 200: "OK", 201: "Created", 202: "Accepted" };
  if (action === "delete") return { 200: "OK", 202: "Accepted" };
  return action === "deletecollection" ? { 200: "OK" } : { 200: "OK", 201: "Created" };
}

function renderOperationV3(operation: Operation) {
  const { tag, description, id, body, method, response } = operation;
  const schema = response ? renderReference(response, "v3") : { type: "string" };
  const content = Object.fromEntries(producedBy(operation).map((type) => [type, { schema }]));
  const accepted = method === "patch" ? PATCHED : ["*/*"];
  return {
    tags: [tag],
    description,
    operationId: id,
    ...(operation.parameters.length > 0 ? { parameters: operation.parameters.map(renderParameterV3) } : {}),
    ...(body
      ? {
          requestBody: {
            content: Object.fromEntries(accepted.map((type) => [type, { schema: renderReference(body, "v3") }])),
            ...(method === "delete" ? {} : { required: true }),
          },
        }
      : {}),
    responses: {
      ...Object.fromEntries(
        Object.entries(successes(operation)).map(([code, text]) => [code, { description: text, content }]),
      ),
      401: { description: "Unauthorized" },
    },
    ...renderKind(operation),
  };
}

const renderParameterV3 = ({ name, in: place, type, description }: Parameter) => ({
  name,
  in: place,
  description,
  ...(place === "path" ? { required: true } : {}),
  schema: { type, uniqueItems: true },
});

function renderOperationV2(operation: Operation) {
  const { tag, description, id, body, method, response } = operation;
  const schema = response ? renderReference(response, "v2") : { type: "string" };
  const required = method === "delete" ? {} : { required: true };
  const parameters = [
    ...(body ? [{ name: "body", in: "body", ...required, schema: renderReference(body, "v2") }] : []),
    ...operation.parameters.map(renderParameterV2),
  ];
  return {
    tags: [tag],
    description,
    operationId: id,
    ...("consumes" in operation
      ? operation.consumes && { consumes: operation.consumes }
      : { consumes: method === "patch" ? PATCHED : ["*/*"] }),
    produces: producedBy(operation),
    schemes: ["https"],
    ...(parameters.length > 0 ? { parameters } : {}),
    responses: {
      ...Object.fromEntries(
        Object.entries(successes(operation)).map(([code, text]) => [code, { description: text, schema }]),
      ),
      401: { description: "Unauthorized" },
    },
    ...renderKind(operation),
  };
}

const renderParameterV2 = ({ name, in: place, type, description }: Parameter) => ({
  name,
  in: place,
  type,
  description,
  uniqueItems: true,
  ...(place === "path" ? { required: true } : {}),
});
