import fc from "fast-check";
import type { Json, JsonObject } from "../../shared/api/json.ts";
import { LOG_OPTION_NAMES, OPTION_NAMES } from "./option-names.ts";

/** Texts made of a few pieces in any order: far closer to the grammar than random characters. */
export const manyOf = (...pieces: string[]): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...pieces), { maxLength: 14 }).map((some) => some.join(""));

const odd = fc.string({ unit: "binary", maxLength: 40 });
const long = fc.constantFrom("a", "(", "9", "\\", "[", "{", "%", ",", " ", "-").map((piece) => piece.repeat(20_000));
const value = fc.oneof(
  {
    arbitrary: manyOf("0", "1", "9999999999999999999", "-", "+", "1e3", ".", "x", "", "true", "All", "NaN"),
    weight: 4,
  },
  odd,
);

const base64url = (text: string) => Buffer.from(text).toString("base64url");
const someJson = fc.json({ maxDepth: 4 });

export const words = {
  value,
  selector: fc.oneof(
    {
      arbitrary: manyOf("a", "b.c/d", " in ", " notin ", "(", ")", ",", "=", "==", "!=", "!", ">", "<", "7", " ", "\\"),
      weight: 8,
    },
    { arbitrary: odd, weight: 3 },
    long,
  ),
  quantity: fc.oneof(
    { arbitrary: manyOf("0", "1", "9", "00", ".", "-", "+", "e", "E", "Ki", "m", "n", "G", "18", " "), weight: 8 },
    { arbitrary: odd, weight: 2 },
    long,
  ),
  schedule: fc.oneof(
    {
      arbitrary: manyOf(
        "*",
        "?",
        "0",
        "5",
        "59",
        "/",
        "-",
        ",",
        " ",
        "jan",
        "SUN",
        "@every ",
        "@daily",
        "1h",
        "9e",
        "TZ=UTC",
        "ms",
      ),
      weight: 8,
    },
    { arbitrary: odd, weight: 2 },
    long,
  ),
  address: fc.oneof(
    manyOf("10", "255", "256", "0", "01", ".", ":", "::", "ffff", "/", "8", "129", "%eth0"),
    odd,
    fc.ipV4(),
    fc.ipV6(),
  ),
  path: fc
    .oneof(
      {
        arbitrary: manyOf(
          "/api",
          "/apis",
          "/v1",
          "/apps",
          "/watch",
          "/namespaces",
          "/pods",
          "/x",
          "/",
          "/..",
          "/%2e",
          "/%zz",
          "%00",
          "?a=b",
          "&",
          "#",
          "/proxy",
        ),
        weight: 8,
      },
      odd,
    )
    .map((text) => `/${text}`),
  accept: fc.oneof(
    manyOf("application/json", "*/*", ";", ",", "q=0.5", "as=Table", "v=v1", "g=meta.k8s.io", "=", '"', " ", "/"),
    odd,
    long,
  ),
  token: fc.oneof(
    odd,
    someJson.map(base64url),
    fc.tuple(someJson, someJson, odd).map(([head, claims, rest]) => `${base64url(head)}.${base64url(claims)}.${rest}`),
    someJson.map((text) => `hearth1.${base64url(text)}`),
    fc
      .record({ v: fc.constantFrom("meta.k8s.io/v1", 1, null), rv: value, start: value }, { requiredKeys: [] })
      .map((token) => base64url(JSON.stringify(token))),
  ),
  deleteOptions: fc
    .record(
      {
        kind: fc.constantFrom("DeleteOptions", "Pod", 7),
        gracePeriodSeconds: fc.constantFrom<Json>(0, -1, 1.5, "x", null, 1e300),
        preconditions: fc.constantFrom<Json>({}, { uid: 7 }, { uid: "x" }, [], null),
        propagationPolicy: fc.constantFrom<Json>("Orphan", "x", 7),
        orphanDependents: fc.constantFrom<Json>(true, "x"),
        dryRun: fc.constantFrom<Json>([], ["All"], ["x"], "All"),
      },
      { requiredKeys: [] },
    )
    .map((options) => JSON.stringify(options)),
  fieldsV1: fc.letrec<{ set: Json }>((tie) => ({
    set: fc.oneof(
      { maxDepth: 5 },
      fc.constant<Json>({}),
      fc.dictionary(fc.constantFrom("f:a", 'k:{"name":"x"}', "v:1", "i:0", ".", "k:{", "v:", "x", "f:"), tie("set"), {
        maxKeys: 4,
      }) as fc.Arbitrary<Json>,
      fc.constantFrom<Json>(null, 7, [], "x"),
    ),
  })).set,
};

const names = fc.constantFrom(...OPTION_NAMES, ...LOG_OPTION_NAMES);
const queryValue = fc.oneof(
  value,
  fc.constantFrom("All", "Strict", "Exact", "NotOlderThan", "Orphan", "true", "1", "Stdout", "2026-01-01T00:00:00Z"),
  words.selector,
);
export const queries = fc
  .array(fc.tuple(names, queryValue), { maxLength: 4 })
  .map((pairs) => new URLSearchParams(pairs));

export const headers = fc.array(
  fc.tuple(
    fc.constantFrom(
      "impersonate-user",
      "impersonate-group",
      "impersonate-uid",
      "impersonate-extra-a",
      "impersonate-extra-%zz",
      "impersonate-extra-",
    ),
    fc.oneof(manyOf("a", ",", " ", "system:", "serviceaccount:", ":", "é"), odd),
  ),
  { maxLength: 4 },
);

const damaged = fc
  .tuple(fc.json({ maxDepth: 4 }), fc.nat(), manyOf("{", "]", '"', ",", ":", "\\", "\u0000", "-", "e"))
  .map(([text, at, other]) => text.slice(0, at % (text.length + 1)) + other + text.slice((at % (text.length + 1)) + 1));
export const jsonText = fc.oneof(
  damaged,
  fc.json(),
  odd,
  long,
  fc.constant("[".repeat(50_000)),
  fc.constant('{"a":'.repeat(20_000)),
);
export const yamlText = fc.oneof(
  {
    arbitrary: manyOf(
      "a: b\n",
      "- x\n",
      "  ",
      "? ",
      ": ",
      "&a ",
      "*a",
      "!!set ",
      "<<: ",
      "|\n",
      ">-\n",
      "---\n",
      "[",
      "]",
      "{",
      "}",
      "'",
      '"',
      "#",
      "\t",
      "%YAML 1.2\n",
      ".nan",
      "~",
    ),
    weight: 8,
  },
  damaged,
  odd,
  long,
);

/** An object with the usual members, each of any type. */
export const objectLike = fc.dictionary(
  fc.constantFrom(
    "metadata",
    "spec",
    "status",
    "data",
    "op",
    "path",
    "from",
    "value",
    "manager",
    "fieldsV1",
    "fieldsType",
    "operation",
    "apiVersion",
    "time",
    "kind",
  ),
  fc.jsonValue({ maxDepth: 4 }),
  { maxKeys: 6 },
) as fc.Arbitrary<JsonObject>;

/** The prefix, then what may be an envelope: tags and lengths that nearly fit. */
export const protobufBytes = fc
  .array(fc.oneof(fc.constantFrom(0x0a, 0x12, 0x1a, 0x08, 0x10, 0x80, 0xff, 0, 1, 2, 5, 0x0b, 0x0c), fc.nat(255)), {
    maxLength: 60,
  })
  .map((rest) =>
    Uint8Array.from([
      0x6b,
      0x38,
      0x73,
      0,
      0x0a,
      9,
      0x0a,
      2,
      0x76,
      0x31,
      0x12,
      3,
      0x50,
      0x6f,
      0x64,
      0x12,
      rest.length,
      ...rest,
    ]),
  );
