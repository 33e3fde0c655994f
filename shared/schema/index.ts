/**
 * What the API's kinds look like: the resources that are served, the structural schema of each kind, and what follows
 * from a schema alone (decoding, defaulting, how lists merge). It knows nothing of storage, requests or rules that
 * bind several fields together: those are the strategies of the API server.
 */
export { decodeBase64, encodeBase64 } from "./base64.ts";
export { type Decoded, decodeObject, type FieldValidation, strictDecodingError, zeroObjectOf } from "./decode.ts";
export { applyDefaults } from "./default.ts";
export { definitions, fieldSchema, resolve, schemaOf } from "./definitions.ts";
export { duplicateFields, keepRepeatedKeys, lastOfRepeated } from "./duplicates.ts";
export { dropEmpty, isEmptyMap, markEmptyMaps } from "./empty.ts";
export { isMarkedDefault } from "./facts/marked-defaults.ts";
export { parseFieldSelectorFor } from "./field-labels.ts";
export type { Definitions, Schema } from "./model.ts";
export {
  type DecodedProtobuf,
  decodeProtobuf,
  encodeProtobuf,
  encodeProtobufEvent,
  encodeProtobufList,
  PROTOBUF_TYPE,
} from "./protobuf/index.ts";
export { findKind, findResource, GROUPS, type Group, RESOURCES } from "./registry.ts";
export type { ResourceFacts, SubresourceFacts, Verb } from "./resources.ts";
export { inStructOrder } from "./struct-order.ts";
