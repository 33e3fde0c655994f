import { descriptionsJson } from "../../../generated/descriptions.ts";
import { definitions, RESOURCES, type ResourceFacts } from "../../../shared/schema/index.ts";
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
import type { Parameter } from "./parameters.ts";

const INFO = { title: "Kubernetes", version: "unversioned" };
const PRODUCED = ["application/json", "application/yaml"];
const STREAMED = [...PRODUCED, "application/json;stream=watch"];
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

/** `/openapi/v3/apis/<group>/<version>`: one group version with all that it refers to. */
export function renderV3(resources: ResourceFacts[]): unknown {
  const operations = resources.flatMap(operationsOf);
  return {
    openapi: "3.0.0",
    info: INFO,
    paths: renderPaths(operations, "v3"),
    components: { schemas: renderDefinitions(operations, "v3"), securitySchemes: BEARER },
  };
}

/** `/openapi/v2`: everything at once. */
export function renderV2(): object {
  const operations = RESOURCES.flatMap(operationsOf);
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
  for (const operation of operations) {
    paths[operation.path] ??= {};
    paths[operation.path]![operation.method] =
      dialect === "v2" ? renderOperationV2(operation) : renderOperationV3(operation);
  }
  return paths;
}

const renderKind = ({ action, kind }: Operation) => ({
  "x-kubernetes-action": action,
  "x-kubernetes-group-version-kind": kind,
});

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
  const types = response ? (operation.action === "list" ? STREAMED : PRODUCED) : ["*/*"];
  const content = Object.fromEntries(types.map((type) => [type, { schema }]));
  const accepted = method === "patch" ? PATCHED : ["*/*"];
  return {
    tags: [tag],
    description,
    operationId: id,
    parameters: operation.parameters.map(renderParameterV3),
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
  return {
    tags: [tag],
    description,
    operationId: id,
    consumes: method === "patch" ? PATCHED : ["*/*"],
    produces: response ? (operation.action === "list" ? STREAMED : PRODUCED) : ["*/*"],
    schemes: ["https"],
    parameters: [
      ...(body
        ? [
            {
              name: "body",
              in: "body",
              ...(method === "delete" ? {} : { required: true }),
              schema: renderReference(body, "v2"),
            },
          ]
        : []),
      ...operation.parameters.map(renderParameterV2),
    ],
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
