import fc from "fast-check";
import { inject, it } from "vitest";
import type { Json } from "../shared/api/json.ts";
import { ApiError } from "../shared/api/status.ts";
import { RESOURCES } from "../shared/schema/index.ts";
import { rolls } from "../test/builders/effort.ts";
import { headers, jsonText, manyOf, objectLike, queries, words, yamlText } from "../test/builders/parser-inputs.ts";
import { type Trial, trial, tryParser } from "../test/builders/parser-trials.ts";
import { parseAccept } from "./apiserver/accept.ts";
import { parseJwt } from "./apiserver/authn/jwt.ts";
import { parseImpersonation } from "./apiserver/authz/impersonation.ts";
import { parseBody } from "./apiserver/decode.ts";
import { parseDeleteOptions } from "./apiserver/delete-options.ts";
import { parseConfig } from "./apiserver/handlers/apply.ts";
import { parseListOptions } from "./apiserver/list-options.ts";
import { parseFieldsV1 } from "./apiserver/managed-fields/field-set.ts";
import { parseManagers } from "./apiserver/managed-fields/managers.ts";
import { parsePatch } from "./apiserver/patch/index.ts";
import { parseJsonPatchText } from "./apiserver/patch/json-patch-text.ts";
import { parseFlag, parseInteger, parsePatchOptions, parseWriteOptions } from "./apiserver/query-options.ts";
import { PlainHeaders, parseAddress } from "./apiserver/request-head.ts";
import { parseRequestInfo } from "./apiserver/request-info.ts";
import { badListVersion, parseRevision } from "./apiserver/resource-version.ts";
import { parseSelection } from "./apiserver/selection.ts";
import { parseIndexes } from "./apiserver/strategy/batch/indexes.ts";
import { parseLogOptions } from "./apiserver/subresources/log-options.ts";
import { parseIndexSet } from "./controllers/job/index-set.ts";
import { parseAddressRange } from "./controllers/service-lb/address-pool.ts";
import { parseBalancerConfig } from "./controllers/service-lb/config.ts";
import { parseSchedulerConfiguration } from "./scheduler/profiles/index.ts";
import { decodeContinue } from "./storage/continue-token.ts";

// The control plane's parsers of what comes over a network, on odd input. test/parsers holds this table to be complete.

const effort = rolls(inject("effort"), { seed: 20_268, times: 400, nightlyTimes: 20_000 });
const kinds = fc.constantFrom(...RESOURCES);
const json = fc.jsonValue({ maxDepth: 6 }) as fc.Arbitrary<Json>;

const rangeText = manyOf("192.0.2.", "0", "8", "255", "::", "fd00", "-", "/", "32", "129", " ", "x");

const schedulerConfigs = fc
  .array(
    fc.constantFrom(
      "profiles: [{}]",
      "profiles: [{ plugins: { score: { disabled: [{ name: '*' }] } } }]",
      "profiles: [{ pluginConfig: [{ name: constructor, args: {} }, { name: NodeResourcesFit, args: { __proto__: {} } }] }]",
      "percentageOfNodesToScore: 1e3",
      "extenders: [{}]",
      "__proto__: 1",
    ),
    { maxLength: 4 },
  )
  .map((lines) =>
    ["apiVersion: kubescheduler.config.k8s.io/v1", "kind: KubeSchedulerConfiguration", ...lines].join("\n"),
  );

const TRIALS: Trial[] = [
  trial(
    "control-plane/scheduler/profiles/configuration.ts#parseSchedulerConfiguration",
    fc.oneof(yamlText, schedulerConfigs),
    (text) => parseSchedulerConfiguration({ data: { "config.yaml": text } }),
    Error,
  ),
  trial("control-plane/controllers/service-lb/address-pool.ts#parseAddressRange", rangeText, parseAddressRange),
  trial(
    "control-plane/controllers/service-lb/config.ts#parseBalancerConfig",
    fc.dictionary(fc.constantFrom("enabled", "nodeAddresses", "pools", "x"), fc.oneof(yamlText, rangeText)),
    parseBalancerConfig,
    Error,
  ),
  trial(
    "control-plane/apiserver/selection.ts#parseSelection",
    fc.tuple(kinds, words.path, queries),
    ([facts, path, query]) => {
      const info = parseRequestInfo("GET", parseAddress(`https://x${path}`));
      return info && parseSelection(facts, info, query);
    },
    ApiError,
  ),
  trial("control-plane/apiserver/yaml/parse.ts#parseYaml", yamlText, parseConfig, ApiError),
  trial("control-plane/apiserver/handlers/apply.ts#parseConfig", yamlText, parseConfig, ApiError),
  trial(
    "control-plane/apiserver/decode.ts#parseBody",
    fc.tuple(fc.oneof(jsonText, yamlText), fc.constantFrom("application/json", "application/yaml", "text/x", "", null)),
    ([text, type]) => parseBody(text, type, "Pod"),
    ApiError,
  ),
  trial(
    "control-plane/apiserver/delete-options.ts#parseDeleteOptions",
    fc.tuple(
      fc.oneof(jsonText, yamlText, words.deleteOptions),
      fc.constantFrom("application/json", "application/yaml", null),
      queries,
    ),
    ([body, type, query]) => parseDeleteOptions(body, type, query),
    ApiError,
  ),
  trial(
    "control-plane/apiserver/patch/index.ts#parsePatch",
    fc.tuple(
      fc.constantFrom("json", "merge", "strategic" as const),
      fc.oneof(json, fc.array(objectLike, { maxLength: 4 }) as fc.Arbitrary<Json>),
    ),
    ([language, value]) => parsePatch(language as "json", value),
    ApiError,
  ),
  trial(
    "control-plane/apiserver/query-options.ts#parseWriteOptions",
    queries,
    (query) => parseWriteOptions(query, "UpdateOptions"),
    ApiError,
  ),
  trial(
    "control-plane/apiserver/query-options.ts#parsePatchOptions",
    fc.tuple(queries, fc.boolean()),
    ([query, isApply]) => parsePatchOptions(query, isApply),
    ApiError,
  ),
  trial(
    "control-plane/apiserver/list-options.ts#parseListOptions",
    fc.tuple(queries, fc.boolean()),
    ([query, isWatch]) => parseListOptions(query, isWatch),
    ApiError,
  ),
  trial(
    "control-plane/apiserver/patch/json-patch-text.ts#parseJsonPatchText",
    jsonText,
    parseJsonPatchText,
    SyntaxError,
  ),
  trial("control-plane/apiserver/query-options.ts#parseFlag", words.value, parseFlag),
  trial("control-plane/apiserver/query-options.ts#parseInteger", words.value, parseInteger, ApiError),
  trial(
    "control-plane/apiserver/resource-version.ts#parseRevision",
    words.value,
    (text) => parseRevision(text, badListVersion),
    ApiError,
  ),
  trial(
    "control-plane/apiserver/subresources/log-options.ts#parseLogOptions",
    queries,
    (query) => parseLogOptions("pod", query),
    ApiError,
  ),
  trial(
    "control-plane/apiserver/request-info.ts#parseRequestInfo",
    fc.tuple(fc.constantFrom("GET", "POST", "DELETE", "X"), words.path),
    ([method, path]) => parseRequestInfo(method, parseAddress(`https://x${path}`)),
  ),
  trial("control-plane/apiserver/request-head.ts#parseAddress", words.path, (path) => {
    const { host, pathname, searchParams } = parseAddress(`https://x:1${path}`);
    return [host, pathname, [...searchParams]];
  }),
  trial("control-plane/apiserver/accept.ts#parseAccept", words.accept, parseAccept),
  trial(
    "control-plane/apiserver/authz/impersonation.ts#parseImpersonation",
    headers,
    (lines) => parseImpersonation(new PlainHeaders(lines)),
    ApiError,
  ),
  trial("control-plane/apiserver/authn/jwt.ts#parseJwt", words.token, parseJwt),
  trial(
    "control-plane/apiserver/managed-fields/managers.ts#parseManagers",
    fc.array(objectLike, { maxLength: 3 }),
    (entries) => parseManagers(entries as never),
    ApiError,
  ),
  trial(
    "control-plane/apiserver/managed-fields/field-set.ts#parseFieldsV1",
    words.fieldsV1,
    (value) => parseFieldsV1(value),
    Error,
  ),
  trial(
    "control-plane/apiserver/strategy/batch/indexes.ts#parseIndexes",
    fc.tuple(manyOf("0", "1", "9", "99", ",", "-", " ", "x", ""), fc.nat(100_000)),
    ([text, completions]) => parseIndexes(text, completions),
  ),
  trial(
    "control-plane/controllers/job/index-set.ts#parseIndexSet",
    fc.tuple(manyOf("0", "1", "9", "99", ",", "-", " ", "x", ""), fc.nat(100_000)),
    ([text, completions]) => parseIndexSet(text, completions),
  ),
  trial("control-plane/storage/continue-token.ts#decodeContinue", words.token, decodeContinue),
];

it.each(TRIALS)(`$parser, seed ${effort.seed}`, { timeout: 600_000 }, (each) => tryParser(each, effort));
