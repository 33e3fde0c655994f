import type { JsonObject } from "../../../shared/api/json.ts";
import { zeroObjectOf } from "../../../shared/schema/index.ts";
import type { Schema } from "../../../shared/schema/model.ts";

/**
 * The object that a create is compared with: nothing set, but what a Go struct has anyway. So setting something inside
 * of a struct by value does not make the field itself owned (`f:spec` without a `.`), and a zero that is always written
 * is nobody's.
 * @param name of the schema in Definitions, as far as it is known
 */
export const zeroObject = (schema: Schema | undefined, name = schema?.$ref): JsonObject =>
  name !== undefined || schema !== undefined ? zeroObjectOf(name ?? schema!) : {};
