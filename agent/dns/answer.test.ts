import { describe, expect, it } from "vitest";
import { answer, type Zone } from "./answer.ts";
import { createClusterNames } from "./cluster-names.ts";
import type { DnsRecord, Reply } from "./record.ts";
import { cluster, service, slice } from "./testing.ts";

const ZONE: Zone = { domain: "cluster.local", ttlSeconds: 30, pods: "insecure", nameServer: "10.96.0.10" };
const SERIAL = 1_764_453_600;
const SOA = `cluster.local 30 SOA ns.dns.cluster.local hostmaster.cluster.local ${SERIAL} 7200 1800 86400 30`;

const print = ({ name, ttl, type, data }: DnsRecord) =>
  `${name} ${ttl} ${type} ${typeof data === "string" ? data : Object.values(data).join(" ")}`;
const printReply = (reply: Reply | undefined) =>
  reply && {
    rcode: reply.rcode,
    answers: reply.answers.map(print),
    authorities: reply.authorities.map(print),
    additionals: reply.additionals.map(print),
  };
const named = (name: string) => (name.endsWith(".") ? name.slice(0, -1) : `${name}.cluster.local`);

const ask = (name: string, type: string, given = cluster(), zone = ZONE) =>
  answer(
    { name: named(name), type },
    createClusterNames(given.sources, () => SERIAL),
    zone,
  );

const answered = (...answers: string[]) => ({ rcode: "NOERROR", answers, authorities: [], additionals: [] });
const NODATA = { rcode: "NOERROR", answers: [], authorities: [SOA], additionals: [] };
const NXDOMAIN = { rcode: "NXDOMAIN", answers: [], authorities: [SOA], additionals: [] };
const REFUSED = { rcode: "REFUSED", answers: [], authorities: [], additionals: [] };

const DNS = "kube-dns.kube-system.svc.cluster.local";
const DUAL = "dual.default.svc.cluster.local";
const NATS = "nats.default.svc.cluster.local";

it.each<{ name: string; ask: string; type: string; want: object | undefined }>([
  { name: "DNS-02", ask: "kube-dns.kube-system.svc", type: "A", want: answered(`${DNS} 30 A 10.96.0.10`) },
  {
    name: "DNS-03",
    ask: "_dns._udp.kube-dns.kube-system.svc",
    type: "SRV",
    want: {
      ...answered(`_dns._udp.${DNS} 30 SRV 0 100 53 ${DNS}`),
      additionals: [`${DNS} 30 A 10.96.0.10`],
    },
  },
  { name: "DNS-04", ask: "api.example.com.default.svc", type: "A", want: NXDOMAIN },
  {
    name: "DNS-05",
    ask: "10-244-0-2.kube-system.pod",
    type: "A",
    want: answered("10-244-0-2.kube-system.pod.cluster.local 30 A 10.244.0.2"),
  },
  {
    name: "DNS-05 IPv6",
    ask: "fd00--2.default.pod",
    type: "AAAA",
    want: answered("fd00--2.default.pod.cluster.local 30 AAAA fd00::2"),
  },
  { name: "a pod's other family", ask: "10-244-0-2.default.pod", type: "AAAA", want: NODATA },
  { name: "a pod in no namespace", ask: "10-244-0-2.nowhere.pod", type: "A", want: NXDOMAIN },
  { name: "a pod that is no address", ask: "web-0.default.pod", type: "A", want: NXDOMAIN },
  {
    name: "a Service's IPv6 address",
    ask: "dual.default.svc",
    type: "AAAA",
    want: answered(`${DUAL} 30 AAAA fd00:96::20`),
  },
  { name: "no IPv6 address", ask: "kube-dns.kube-system.svc", type: "AAAA", want: NODATA },
  { name: "another type", ask: "dual.default.svc", type: "MX", want: NODATA },
  { name: "any type", ask: "dual.default.svc", type: "ANY", want: NODATA },
  { name: "text of a Service", ask: "dual.default.svc", type: "TXT", want: NODATA },
  { name: "text of none", ask: "nobody.default.svc", type: "TXT", want: NXDOMAIN },
  {
    name: "SRV without a port",
    ask: "dual.default.svc",
    type: "SRV",
    want: {
      ...answered(`${DUAL} 30 SRV 0 100 80 ${DUAL}`),
      additionals: [`${DUAL} 30 A 10.96.0.20`, `${DUAL} 30 AAAA fd00:96::20`],
    },
  },
  { name: "a port of another protocol", ask: "_http._udp.dual.default.svc", type: "SRV", want: NXDOMAIN },
  { name: "a port's protocol alone", ask: "_tcp.dual.default.svc", type: "SRV", want: NODATA },
  { name: "too many labels", ask: "a._http._tcp.dual.default.svc", type: "SRV", want: NXDOMAIN },
  { name: "a wildcard", ask: "*.default.svc", type: "A", want: NXDOMAIN },
  {
    name: "DNS-09 those that are ready",
    ask: "nats.default.svc",
    type: "A",
    want: answered(`${NATS} 30 A 10.244.0.5`, `${NATS} 30 A 10.244.1.6`),
  },
  {
    name: "DNS-09 of no ports",
    ask: "bare.default.svc",
    type: "A",
    want: answered("bare.default.svc.cluster.local 30 A 10.244.0.9"),
  },
  { name: "DNS-09 none ready", ask: "empty.default.svc", type: "A", want: NXDOMAIN },
  { name: "SRV of no ports", ask: "bare.default.svc", type: "SRV", want: NODATA },
  { name: "DNS-10", ask: "nats-0.nats.default.svc", type: "A", want: answered(`nats-0.${NATS} 30 A 10.244.0.5`) },
  {
    name: "DNS-10 no hostname",
    ask: "10-244-1-6.nats.default.svc",
    type: "A",
    want: answered(`10-244-1-6.${NATS} 30 A 10.244.1.6`),
  },
  {
    name: "DNS-10 no hostname, IPv6",
    ask: "fd00-244--0.nats.default.svc",
    type: "AAAA",
    want: answered(`fd00-244--0.${NATS} 30 AAAA fd00:244::`),
  },
  { name: "an endpoint's name when it has another", ask: "10-244-0-5.nats.default.svc", type: "A", want: NXDOMAIN },
  {
    name: "SRV of endpoints",
    ask: "_client._tcp.nats.default.svc",
    type: "SRV",
    want: {
      ...answered(
        `_client._tcp.${NATS} 30 SRV 0 33 4222 nats-0.${NATS}`,
        `_client._tcp.${NATS} 30 SRV 0 33 4222 10-244-1-6.${NATS}`,
        `_client._tcp.${NATS} 30 SRV 0 33 4222 fd00-244--0.${NATS}`,
      ),
      additionals: [
        `nats-0.${NATS} 30 A 10.244.0.5`,
        `10-244-1-6.${NATS} 30 A 10.244.1.6`,
        `fd00-244--0.${NATS} 30 AAAA fd00:244::`,
      ],
    },
  },
  {
    name: "another's name",
    ask: "out.default.svc",
    type: "A",
    want: answered("out.default.svc.cluster.local 30 CNAME db.example.com"),
  },
  {
    name: "another's name as such",
    ask: "out.default.svc",
    type: "CNAME",
    want: answered("out.default.svc.cluster.local 30 CNAME db.example.com"),
  },
  { name: "another's name has no ports", ask: "out.default.svc", type: "SRV", want: NODATA },
  { name: "another's name has no endpoints", ask: "a.out.default.svc", type: "A", want: NXDOMAIN },
  { name: "the zone", ask: "cluster.local.", type: "A", want: NODATA },
  { name: "the zone's SOA", ask: "cluster.local.", type: "SOA", want: answered(SOA) },
  {
    name: "the zone's name server",
    ask: "cluster.local.",
    type: "NS",
    want: {
      ...answered("cluster.local 30 NS ns.dns.cluster.local"),
      additionals: ["ns.dns.cluster.local 30 A 10.96.0.10"],
    },
  },
  {
    name: "the name server's address",
    ask: "ns.dns",
    type: "A",
    want: answered("ns.dns.cluster.local 30 A 10.96.0.10"),
  },
  { name: "the version", ask: "dns-version", type: "TXT", want: answered("dns-version.cluster.local 28800 TXT 1.1.0") },
  { name: "the version has no address", ask: "dns-version", type: "A", want: NODATA },
  { name: "all Services", ask: "svc", type: "A", want: NODATA },
  { name: "a namespace", ask: "default.svc", type: "A", want: NODATA },
  { name: "a namespace that is not there", ask: "nowhere.svc", type: "A", want: NXDOMAIN },
  { name: "another kind", ask: "dual.default.node", type: "A", want: NXDOMAIN },
  { name: "the zone transferred", ask: "cluster.local.", type: "AXFR", want: REFUSED },
  { name: "a name of others", ask: "example.com.", type: "A", want: undefined },
  { name: "a zone that ends alike", ask: "mycluster.local.", type: "A", want: undefined },
  {
    name: "a Service's address",
    ask: "10.0.96.10.in-addr.arpa.",
    type: "PTR",
    want: answered(`10.0.96.10.in-addr.arpa 30 PTR ${DNS}`),
  },
  {
    name: "an endpoint's address",
    ask: "5.0.244.10.in-addr.arpa.",
    type: "PTR",
    want: answered(`5.0.244.10.in-addr.arpa 30 PTR nats-0.${NATS}`),
  },
  { name: "an address of nobody", ask: "1.2.0.192.in-addr.arpa.", type: "PTR", want: undefined },
])("$name", ({ ask: name, type, want }) => expect(printReply(ask(name, type))).toEqual(want));

it("does not say of anything that it is not there before all is known", () => {
  const given = cluster();
  given.namespaces.setKnown(false);
  expect(ask("kube-dns.kube-system.svc", "A", given)?.rcode).toBe("SERVFAIL");
});

it("has no pods where they are disabled", () => {
  expect(ask("10-244-0-2.default.pod", "A", cluster(), { ...ZONE, pods: "disabled" })?.rcode).toBe("NXDOMAIN");
});

describe("follows changes", () => {
  const given = cluster();
  const names = createClusterNames(given.sources, () => SERIAL);
  const get = (name: string, type = "A") => printReply(answer({ name: named(name), type }, names, ZONE));

  it("DNS-07 a Service is there at once, after a denial too", () => {
    const before = names.serial();
    expect(get("late.default.svc")?.rcode).toBe("NXDOMAIN");
    given.services.put(service("late", { clusterIP: "10.96.0.30", ports: [{ port: 1 }] }));
    expect(get("late.default.svc")?.answers).toEqual(["late.default.svc.cluster.local 30 A 10.96.0.30"]);
    expect(get("30.0.96.10.in-addr.arpa.", "PTR")?.answers).toHaveLength(1);
    expect(names.serial()).toBeGreaterThan(before);
    given.services.remove("default/late");
    expect(get("late.default.svc")?.rcode).toBe("NXDOMAIN");
    expect(get("30.0.96.10.in-addr.arpa.", "PTR")).toBeUndefined();
  });

  it("an endpoint goes, and its address with it", () => {
    given.slices.put(slice("nats", [{ addresses: ["10.244.2.2"], conditions: {} }]));
    expect(get("nats.default.svc")?.answers).toEqual([`${NATS} 30 A 10.244.2.2`]);
    expect(get("5.0.244.10.in-addr.arpa.", "PTR")).toBeUndefined();
    given.slices.remove("default/nats-abcde");
    expect(get("nats.default.svc")?.rcode).toBe("NOERROR");
    given.slices.remove("default/nats-6");
    expect(get("nats.default.svc")?.rcode).toBe("NXDOMAIN");
  });
});
