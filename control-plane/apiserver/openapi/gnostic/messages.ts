/** What a value is: a primitive, any JSON (kept as text) or a list of such values, or one of the messages below. */
export type ValueType = "string" | "boolean" | "int64" | "double" | "any" | "any[]" | MessageName;

/**
 * A field's type and its number. Where the schema puts messages around the value that JSON does not have, their fields'
 * numbers come first and the value's own last: it is the last that is repeated for a list.
 */
export type Field = readonly [type: ValueType, ...path: number[]];

export interface Message {
  /** By JSON name. */
  readonly fields?: Readonly<Record<string, Field>>;
  /** The field for what is named `x-…`: a list of name=1 and value=2, any JSON. */
  readonly extensions?: number;
  /** Of an object that is a map, the field for all other names: a list of name=1 and the value. */
  readonly entries?: { readonly number: number; readonly value: Field };
  /** The object is one of several messages, told by this property of its own; nothing else is set then. */
  readonly oneOf?: { readonly property: string; readonly cases: Readonly<Record<string, Field>> };
}

export type MessageName =
  | "Document"
  | "Info"
  | "Paths"
  | "PathItem"
  | "Operation"
  | "ParametersItem"
  | "BodyParameter"
  | "QueryParameter"
  | "PathParameter"
  | "Responses"
  | "Response"
  | "Definitions"
  | "Schema"
  | "SecurityDefinitions"
  | "SecurityDefinition"
  | "ApiKeySecurity"
  | "SecurityRequirement";

/**
 * How the parts of a Swagger 2.0 document lie in the messages of `openapi.v2`: the numbers of gnostic's OpenAPIv2.proto,
 * which clients have compiled in. Only what Kubernetes' documents use.
 */
export const MESSAGES: Readonly<Record<MessageName, Message>> = {
  Document: {
    fields: {
      swagger: ["string", 1],
      info: ["Info", 2],
      paths: ["Paths", 8],
      definitions: ["Definitions", 9],
      security: ["SecurityRequirement", 12],
      securityDefinitions: ["SecurityDefinitions", 13],
    },
    extensions: 16,
  },
  Info: { fields: { title: ["string", 1], version: ["string", 2], description: ["string", 3] }, extensions: 7 },
  Paths: { extensions: 1, entries: { number: 2, value: ["PathItem", 2] } },
  PathItem: {
    fields: {
      get: ["Operation", 2],
      put: ["Operation", 3],
      post: ["Operation", 4],
      delete: ["Operation", 5],
      options: ["Operation", 6],
      head: ["Operation", 7],
      patch: ["Operation", 8],
      parameters: ["ParametersItem", 9],
    },
    extensions: 10,
  },
  Operation: {
    fields: {
      tags: ["string", 1],
      description: ["string", 3],
      operationId: ["string", 5],
      produces: ["string", 6],
      consumes: ["string", 7],
      parameters: ["ParametersItem", 8],
      responses: ["Responses", 9],
      schemes: ["string", 10],
      deprecated: ["boolean", 11],
    },
    extensions: 13,
  },
  ParametersItem: {
    oneOf: {
      property: "in",
      cases: {
        body: ["BodyParameter", 1, 1],
        query: ["QueryParameter", 1, 2, 3],
        path: ["PathParameter", 1, 2, 4],
      },
    },
  },
  BodyParameter: {
    fields: {
      description: ["string", 1],
      name: ["string", 2],
      in: ["string", 3],
      required: ["boolean", 4],
      schema: ["Schema", 5],
    },
    extensions: 6,
  },
  QueryParameter: {
    fields: {
      required: ["boolean", 1],
      in: ["string", 2],
      description: ["string", 3],
      name: ["string", 4],
      type: ["string", 6],
      format: ["string", 7],
      uniqueItems: ["boolean", 20],
    },
    extensions: 23,
  },
  PathParameter: {
    fields: {
      required: ["boolean", 1],
      in: ["string", 2],
      description: ["string", 3],
      name: ["string", 4],
      type: ["string", 5],
      format: ["string", 6],
      uniqueItems: ["boolean", 19],
    },
    extensions: 22,
  },
  Responses: { entries: { number: 1, value: ["Response", 2, 1] }, extensions: 2 },
  Response: { fields: { description: ["string", 1], schema: ["Schema", 2, 1] }, extensions: 5 },
  Definitions: { entries: { number: 1, value: ["Schema", 2] } },
  Schema: {
    fields: {
      $ref: ["string", 1],
      format: ["string", 2],
      title: ["string", 3],
      description: ["string", 4],
      default: ["any", 5],
      multipleOf: ["double", 6],
      maximum: ["double", 7],
      exclusiveMaximum: ["boolean", 8],
      minimum: ["double", 9],
      exclusiveMinimum: ["boolean", 10],
      maxLength: ["int64", 11],
      minLength: ["int64", 12],
      pattern: ["string", 13],
      maxItems: ["int64", 14],
      minItems: ["int64", 15],
      uniqueItems: ["boolean", 16],
      maxProperties: ["int64", 17],
      minProperties: ["int64", 18],
      required: ["string", 19],
      enum: ["any[]", 20],
      additionalProperties: ["Schema", 21, 1],
      type: ["string", 22, 1],
      items: ["Schema", 23, 1],
      allOf: ["Schema", 24],
      properties: ["Definitions", 25],
      example: ["any", 30],
    },
    extensions: 31,
  },
  SecurityDefinitions: { entries: { number: 1, value: ["SecurityDefinition", 2] } },
  SecurityDefinition: { oneOf: { property: "type", cases: { apiKey: ["ApiKeySecurity", 2] } } },
  ApiKeySecurity: {
    fields: { type: ["string", 1], name: ["string", 2], in: ["string", 3], description: ["string", 4] },
    extensions: 5,
  },
  SecurityRequirement: { entries: { number: 1, value: ["string", 2, 1] } },
};
