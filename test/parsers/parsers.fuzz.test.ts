import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, inject, it } from "vitest";
import { parseCorefile } from "../../agent/dns/corefile.ts";
import { parseQuery } from "../../agent/dns/message.ts";
import { parseAnswer } from "../../agent/dns/raw-answer.ts";
import { parseNodeIps } from "../../agent/node/addresses.ts";
import { parseForwardDrops } from "../../agent/podnet/firewall.ts";
import { parsePaths } from "../../agent/podnet/paths-annotation.ts";
import { parseSeen } from "../../agent/podnet/peer.ts";
import { parseProbe } from "../../agent/podnet/probe/message.ts";
import { parseEndpoint } from "../../agent/podnet/wireguard/endpoint.ts";
import { parseOffer } from "../../agent/podnet/wireguard/offer.ts";
import { parseFlow } from "../../agent/proxy/conntrack.ts";
import { parseClientMessage } from "../../agent/server/exec/channels.ts";
import { SpdyDecoder } from "../../agent/server/exec/spdy-frame.ts";
import { parseCriLine } from "../../agent/server/logs/cri-line.ts";
import { parseLogQuery } from "../../agent/server/logs/log-options.ts";
import { ResponseReader } from "../../cli/embedded/response-reader.ts";
import { parseClusterNetwork } from "../../shared/api/cluster-network.ts";
import { parseInt64 } from "../../shared/api/int64.ts";
import { parseCidr, parseIp } from "../../shared/api/ip.ts";
import type { Json } from "../../shared/api/json.ts";
import { parseJsonNumbers } from "../../shared/api/json-numbers.ts";
import { parseAmounts } from "../../shared/api/pod-requests.ts";
import { canonicalQuantity, parseQuantity } from "../../shared/api/quantity.ts";
import { parseFieldSelector, parseLabelSelector } from "../../shared/api/selector.ts";
import { ApiError } from "../../shared/api/status.ts";
import {
  CelDefaultMap,
  CelError,
  parseExpression,
  parsePattern,
  parseSemver,
  parseTokens,
  tokensOf,
} from "../../shared/cel/index.ts";
import { parseSchedule, ScheduleError } from "../../shared/cron/index.ts";
import { parseJoinToken } from "../../shared/join-token.ts";
import { parseCertificateRequest } from "../../shared/pki/index.ts";
import { NODE_P256 } from "../../shared/pki/testdata/requests.ts";
import { decodeDatagram } from "../../shared/relay/index.ts";
import { decodeObject, decodeProtobuf, parseFieldSelectorFor, RESOURCES } from "../../shared/schema/index.ts";
import { decodeFrame } from "../../shared/tunnel/frame.ts";
import { decodeSocketEvent, MessageDecoder, TunnelError } from "../../shared/tunnel/index.ts";
import { rolls } from "../builders/effort.ts";
import { jsonText, manyOf, objectLike, protobufBytes, queries, words } from "../builders/parser-inputs.ts";
import { type Trial, trial, tryParser } from "../builders/parser-trials.ts";

/*
 * Every parser of what comes over a network, on odd input. Those of the control plane are tried inside workerd
 * (control-plane/parsers.fuzz.test.ts); the last test holds both tables to name all there are.
 */

const effort = rolls(inject("effort"), { seed: 20_267, times: 400, nightlyTimes: 20_000 });
const NO_SINK = { onHead: () => undefined, onData: () => undefined, onEnd: () => undefined };
const kinds = fc.constantFrom(...RESOURCES);
const json = fc.jsonValue({ maxDepth: 6 }) as fc.Arbitrary<Json>;
const bytes = fc.uint8Array({ maxLength: 80 });
/** A header that promises one of each, with odd bytes behind it; or odd bytes alone. */
const dnsBytes = fc.oneof(
  bytes,
  fc.tuple(fc.constantFrom(0x01, 0x81), bytes).map(([flags, rest]) => {
    return Uint8Array.from([0, 1, flags, 0, 0, 1, 0, 0, 0, 0, 0, 1, 1, 97, 0, 0, 1, 0, 1, ...rest]);
  }),
);

const endpoints = manyOf("192.0.2.1", "2001:db8::1", "[", "]", ":", "51820", "0", " ");

const pemOf = (der: Uint8Array) =>
  `-----BEGIN CERTIFICATE REQUEST-----\n${Buffer.from(der).toString("base64")}\n-----END CERTIFICATE REQUEST-----\n`;

/** A good request with one byte changed. */
function changedRequest(at: number, byte: number): string {
  const der = Buffer.from(NODE_P256.replace(/-----[^-]+-----|\s/g, ""), "base64");
  der[at % der.length] = byte;
  return pemOf(der);
}

const expressions = manyOf(
  ...["a", "true", "1", "1.5", "2u", "'x'", '"', "'", "(", ")", "[", "]", "{", "}", ".", ",", ":", "?", "!", "-", " "],
  ...["&&", "||", "==", "=", "in", "has(", ".all(x, ", "b'", "r'\\", "\\q", "`", "//", "\n", "#", "0x", "if"],
);

const patterns = manyOf(
  "a",
  "b",
  "(",
  ")",
  "(?:",
  "|",
  "*",
  "+",
  "?",
  "{2,3}",
  "[ab]",
  "[^",
  "]",
  "\\d",
  "\\",
  ".",
  "^",
  "$",
);

const TRIALS: Trial[] = [
  trial("shared/api/int64.ts#parseInt64", words.quantity, parseInt64),
  trial("shared/api/json-numbers.ts#parseJsonNumbers", jsonText, parseJsonNumbers, SyntaxError),
  trial("shared/api/label-selector.ts#parseLabelSelector", words.selector, parseLabelSelector, ApiError),
  trial("shared/api/field-selector.ts#parseFieldSelector", words.selector, parseFieldSelector, ApiError),
  trial(
    "shared/schema/field-labels.ts#parseFieldSelectorFor",
    fc.tuple(kinds, words.selector),
    ([facts, text]) => parseFieldSelectorFor(facts, text),
    ApiError,
  ),
  trial(
    "shared/api/quantity.ts#parseQuantity",
    words.quantity,
    (text) => canonicalQuantity(text) && parseQuantity(text),
    RangeError,
  ),
  trial(
    "shared/api/pod-requests.ts#parseAmounts",
    fc.dictionary(fc.constantFrom("cpu", "memory", "example.com/x"), words.quantity),
    parseAmounts,
    RangeError,
  ),
  trial("shared/cel/syntax.ts#parseTokens", fc.oneof(expressions, words.value), (text) =>
    parseTokens(tokensOf(text).tokens),
  ),
  trial(
    "shared/cel/evaluate.ts#parseExpression",
    expressions,
    (text) => parseExpression(text).evaluate({ a: new CelDefaultMap([], "x"), x: [1n, "x", null] }, { left: 1000 }),
    CelError,
  ),
  trial(
    "shared/cel/pattern.ts#parsePattern",
    patterns,
    (text) => {
      const { expression, costOn } = parsePattern(text);
      return costOn(30) > 1e6 || expression.test("aaaaaaaaaaaaaaaaaaaaaaaaaaaaab");
    },
    CelError,
  ),
  trial("shared/cel/semver.ts#parseSemver", manyOf("1", "0", ".", "-", "+", "rc", "v"), parseSemver),
  trial(
    "shared/api/cluster-network.ts#parseClusterNetwork",
    fc.tuple(words.address, words.address),
    ([clusterCidr, serviceClusterIpRange]) => parseClusterNetwork({ clusterCidr, serviceClusterIpRange }),
  ),
  trial("agent/node/addresses.ts#parseNodeIps", words.address, parseNodeIps, RangeError),
  trial("shared/cron/parse.ts#parseSchedule", words.schedule, parseSchedule, ScheduleError),
  trial("shared/api/ip.ts#parseIp", words.address, parseIp),
  trial("shared/api/ip.ts#parseCidr", words.address, parseCidr),
  trial(
    "shared/schema/decode.ts#decodeObject",
    fc.tuple(kinds, fc.oneof(json, objectLike), fc.constantFrom("Strict", "Warn", "Ignore" as const)),
    ([facts, value, validation]) => decodeObject(facts.schema, structuredClone(value) as never, validation as never),
    ApiError,
  ),
  trial(
    "shared/schema/protobuf/index.ts#decodeProtobuf",
    fc.tuple(protobufBytes, kinds),
    ([body, facts]) => decodeProtobuf(body, facts.kind),
    ApiError,
  ),
  trial(
    "shared/pki/certificate-request.ts#parseCertificateRequest",
    fc.tuple(bytes, fc.nat({ max: 160 }), fc.nat({ max: 255 }), fc.boolean()),
    ([noise, at, byte, isChanged]) => parseCertificateRequest(isChanged ? changedRequest(at, byte) : pemOf(noise)),
    Error,
  ),
  trial("shared/join-token.ts#parseJoinToken", words.token, parseJoinToken, Error),
  trial("shared/relay/datagram.ts#decodeDatagram", bytes, decodeDatagram, TunnelError),
  trial("shared/tunnel/frame.ts#decodeFrame", bytes, decodeFrame, TunnelError),
  trial(
    "shared/tunnel/messages.ts#MessageDecoder",
    fc.array(bytes, { maxLength: 6 }),
    (chunks) => {
      const decoder = new MessageDecoder();
      return chunks.map((chunk) => decoder.push(chunk));
    },
    TunnelError,
  ),
  trial("shared/tunnel/socket-events.ts#decodeSocketEvent", bytes, decodeSocketEvent, TunnelError),
  trial("agent/dns/message.ts#parseQuery", dnsBytes, (message) => [parseQuery(Buffer.from(message))]),
  trial("agent/dns/raw-answer.ts#parseAnswer", dnsBytes, (message) => parseAnswer(Buffer.from(message)), RangeError),
  trial(
    "agent/dns/corefile.ts#parseCorefile",
    manyOf(".:53 {", "{", "}", "\n", "forward . 1.1.1.1", "hosts", "rewrite name a b", "kubernetes x", "#", '"'),
    (text) => parseCorefile(text),
    SyntaxError,
  ),
  trial("agent/server/exec/channels.ts#parseClientMessage", bytes, parseClientMessage),
  trial(
    "agent/server/exec/spdy-frame.ts#SpdyDecoder",
    fc.array(bytes, { maxLength: 6 }),
    (chunks) => {
      const decoder = new SpdyDecoder();
      return chunks.map((chunk) => decoder.push(Buffer.from(chunk)));
    },
    Error,
  ),
  trial("agent/podnet/firewall.ts#parseForwardDrops", jsonText, (text) => [parseForwardDrops(text)]),
  trial("agent/podnet/paths-annotation.ts#parsePaths", jsonText, (text) => [parsePaths(text)]),
  trial("agent/podnet/peer.ts#parseSeen", endpoints, (text) => [parseSeen(text)]),
  trial("agent/podnet/probe/message.ts#parseProbe", bytes, (message) => [parseProbe(message)]),
  trial("agent/podnet/wireguard/endpoint.ts#parseEndpoint", endpoints, (text) => [parseEndpoint(text)]),
  trial(
    "agent/podnet/wireguard/offer.ts#parseOffer",
    fc.oneof(
      jsonText,
      fc.record({ publicKey: words.token, endpoints: fc.array(endpoints) }).map((each) => JSON.stringify(each)),
    ),
    (text) => [parseOffer(text)],
  ),
  trial(
    "agent/proxy/conntrack.ts#parseFlow",
    fc.array(fc.constantFrom("src=", "dst=", "sport=", "dport=", "10.0.0.1", "53", " ", "udp"), { maxLength: 40 }),
    (parts) => [parseFlow(parts.join(""))],
  ),
  trial("agent/server/logs/cri-line.ts#parseCriLine", bytes, (line) => [parseCriLine(Buffer.from(line))]),
  trial(
    "agent/server/logs/log-options.ts#parseLogQuery",
    queries,
    (query) => parseLogQuery(query, 1_764_453_600_000),
    RangeError,
  ),
  trial(
    "cli/embedded/response-reader.ts#ResponseReader",
    fc.array(
      fc.oneof(
        bytes,
        manyOf("HTTP/1.1 200 OK", "\r\n", "Content-Length: 3", "Transfer-Encoding: chunked", "3", "abc", "0").map(
          (text) => Buffer.from(text),
        ),
      ),
      { maxLength: 6 },
    ),
    (chunks) => {
      const reader = new ResponseReader();
      reader.expect("GET", NO_SINK);
      for (const chunk of chunks) reader.feed(Buffer.from(chunk));
      return reader.close();
    },
    Error,
  ),
];

/** Parsers that are tried elsewhere, or of what no network brings. */
const ELSEWHERE: Record<string, string> = {
  "shared/schema/base64.ts#decodeBase64": "behind decodeObject",
  "shared/schema/protobuf/decode.ts#decodeMessage": "behind decodeProtobuf",
  "shared/schema/protobuf/reader.ts#Reader": "behind decodeProtobuf",
  "shared/api/stored-object.ts#decodeStored": "reads what the store was given by encodeStored",
  "control-plane/storage/store-name.ts#parseStoreName": "names that the control plane gave",
  "control-plane/runtime/clock.ts#parseTime": "times that validation let pass",
  "control-plane/apiserver/decode.ts#decodeErrorOf": "words an error, parses nothing",
  "control-plane/apiserver/patch/patched-object.ts#decodePatchedObject":
    "fuzzed through the API: apiserver/fuzz.test.ts",
  "control-plane/controllers/horizontal-pod-autoscaler/metrics-answers.ts#parseMetrics":
    "zod over a decoded answer: autoscaling.test.ts",
  "control-plane/hosting/requests.ts#parseBody": "zod over JSON.parse: hosting/routes.test.ts",
  "control-plane/hosting/pem.ts#parsePem": "behind the root secret: hosting/routes.test.ts",
  "control-plane/hosting/ip-address.ts#parseIpAddress": "behind zod's ipv4 and ipv6",
  "agent/podnet/wireguard/config.ts#parseDump": "the kernel's own answers; plan.test.ts has odd ones",
  "agent/node/routes.ts#parseRoutes": "the kernel's own file",
  "agent/node/routes.ts#parseRoutes6": "the kernel's own file",
  "agent/kubelet/dns-config.ts#parseResolvConf": "the machine's own file",
  "agent/kubelet/images/image-name.ts#parseImageName": "names that validation let pass; its own test has odd ones",
  "agent/kubelet/static-pods/manifest.ts#parseManifest": "the machine's own files",
  "agent/configuration/duration.ts#parseDurationMs": "the node's own configuration",
  "agent/configuration/kubelet-configuration.ts#parseKubeletConfiguration": "the node's own configuration",
  "agent/cgroup/usage.ts#parsePressure": "the kernel's own files",
  "agent/cgroup/usage.ts#parseUsage": "the kernel's own files",
  "agent/eviction/kernel-log.ts#parseSystemOom": "the kernel's own log; kernel-log.test.ts has odd lines",
  "agent/eviction/thresholds.ts#parseThresholdValue": "the node's own configuration",
  "agent/eviction/thresholds.ts#parseThresholds": "the node's own configuration",
  "agent/cgroup/name.ts#parseCgroupName": "the node's own configuration",
  "agent/cpumanager/cpu-set.ts#parseCpuSet": "the kernel's own files",
  "agent/cpumanager/cpu-options.ts#parseCpuOptions": "the node's own configuration",
  "agent/memorymanager/reserved-memory.ts#parseReservedMemory": "the node's own configuration",
  "agent/topologymanager/options.ts#parseTopologyOptions": "the node's own configuration",
  "agent/topologymanager/options.ts#parseBool": "the node's own configuration",
  "agent/pinning/saved-state.ts#parseCpus": "the agent's own file; its test has odd ones",
  "agent/pinning/saved-state.ts#parseMemory": "the agent's own file; its test has odd ones",
  "agent/userns/id-space.ts#parseSubordinateIds": "what the machine's own getsubids prints",
  "agent/userns/mappings.ts#parseMappings": "the agent's own file; userns.test.ts has odd ones",
  "cli/port.ts#parsePort": "the command line",
  "cli/token.ts#parseDurationSeconds": "the command line",
};

it.each(TRIALS)(`$parser, seed ${effort.seed}`, { timeout: 600_000 }, (each) => tryParser(each, effort));

const ROOT = join(import.meta.dirname, "../..");
const PARSER =
  /^export (?:(?:async )?function|const) ((?:parse|decode)[A-Z]\w*)|^export class (\w*(?:Decoder|Reader|Parser))\b/gm;

function exportedParsers(): string[] {
  return ["shared", "control-plane", "agent", "cli"].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts") && !/\.test\.ts$|\/testing\/|\/testdata\//.test(file))
      .flatMap((file) =>
        [...readFileSync(join(ROOT, folder, file), "utf8").matchAll(PARSER)].map(
          ([, parser, reader]) => `${folder}/${file}#${parser ?? reader}`,
        ),
      ),
  );
}

it("the tables name every parser, and no other", () => {
  const inWorkerd = readFileSync(join(ROOT, "control-plane/parsers.fuzz.test.ts"), "utf8");
  const named = [...inWorkerd.matchAll(/"(control-plane\/[^"#]+#\w+)"/g)].map(([, parser]) => parser!);
  named.push(...TRIALS.map(({ parser }) => parser), ...Object.keys(ELSEWHERE));
  expect(named.sort()).toEqual(exportedParsers().sort());
});
