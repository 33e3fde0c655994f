import { expect, it } from "vitest";
import type { EndpointSlice } from "../../../shared/api/types.ts";
import { FakeClock } from "../../../test/builders/fake-clock.ts";
import { ProxyStatus } from "./proxy-status.ts";

const FACTS = { cpuSeconds: 1.5, residentBytes: 1024, startSeconds: 1_767_225_600 };
const START_MS = Date.parse("2026-01-01T00:00:00Z");

const slice = (addressType: string, triggerTime?: string): EndpointSlice => ({
  metadata: {
    name: "s",
    ...(triggerTime && { annotations: { "endpoints.kubernetes.io/last-change-trigger-time": triggerTime } }),
  },
  addressType,
  endpoints: [],
});

/** By name and labels, those that are not 0. */
function samples(status: ProxyStatus): Record<string, number> {
  const lines = status.metrics.render(FACTS).split("\n");
  const values = lines.filter((line) => line !== "" && !line.startsWith("#")).map((line) => line.split(" "));
  return Object.fromEntries(values.map(([name, value]) => [name, Number(value)]).filter(([, value]) => value !== 0));
}

it("counts changes, and what is not written yet", async () => {
  const status = new ProxyStatus(new FakeClock(START_MS));
  status.servicesChanged(2);
  status.slicesChanged([slice("IPv4"), undefined, slice("FQDN")]);
  status.queued();
  expect(samples(status)).toMatchObject({
    kubeproxy_sync_proxy_rules_service_changes_total: 2,
    kubeproxy_sync_proxy_rules_service_changes_pending: 2,
    kubeproxy_sync_proxy_rules_endpoint_changes_total: 3,
    kubeproxy_sync_proxy_rules_endpoint_changes_pending: 3,
    'kubeproxy_sync_proxy_rules_last_queued_timestamp_seconds{ip_family="IPv4"}': START_MS / 1000,
  });
  status.takeUp();
  const after = samples(status);
  expect(after["kubeproxy_sync_proxy_rules_service_changes_total"]).toBe(2);
  expect(after["kubeproxy_sync_proxy_rules_service_changes_pending"]).toBeUndefined();
  expect(after["kubeproxy_sync_proxy_rules_endpoint_changes_pending"]).toBeUndefined();
});

it("times transactions, whole ones and others apart, and the way from what made endpoints change", async () => {
  const clock = new FakeClock(START_MS);
  const status = new ProxyStatus(clock);
  await clock.advance(10_000);
  status.slicesChanged([
    slice("IPv4", "2026-01-01T00:00:09Z"),
    slice("IPv4", "2025-12-31T23:59:59Z"), // before the agent began
    slice("IPv4", "no time"),
    slice("IPv6", "2026-01-01T00:00:20Z"), // by a clock that is ahead
  ]);
  const triggersMs = status.takeUp();
  await clock.advance(1_000);
  status.written("IPv4", { tookMs: 30, isWhole: true, triggersMs: triggersMs.IPv4 });
  status.written("IPv4", { tookMs: 3, isWhole: false, triggersMs: status.takeUp().IPv4 });
  status.written("IPv6", { tookMs: 1, isWhole: false, triggersMs: triggersMs.IPv6 });
  const found = samples(status);
  const count = (name: string, family: string) => found[`kubeproxy_${name}_count{ip_family="${family}"}`];
  expect(count("sync_proxy_rules_duration_seconds", "IPv4")).toBe(2);
  expect(count("sync_full_proxy_rules_duration_seconds", "IPv4")).toBe(1);
  expect(count("sync_partial_proxy_rules_duration_seconds", "IPv4")).toBe(1);
  expect(count("network_programming_duration_seconds", "IPv4")).toBe(1);
  expect(count("network_programming_duration_seconds", "IPv6")).toBe(1);
  expect(found).toMatchObject({
    'kubeproxy_sync_proxy_rules_duration_seconds_sum{ip_family="IPv4"}': 0.033,
    'kubeproxy_network_programming_duration_seconds_sum{ip_family="IPv4"}': 2,
    'kubeproxy_network_programming_duration_seconds_bucket{ip_family="IPv4",le="2"}': 1,
    'kubeproxy_sync_proxy_rules_last_timestamp_seconds{ip_family="IPv6"}': START_MS / 1000 + 11,
  });
  expect(found).not.toHaveProperty('kubeproxy_network_programming_duration_seconds_bucket{ip_family="IPv4",le="1"}');
  expect(found).not.toHaveProperty('kubeproxy_network_programming_duration_seconds_sum{ip_family="IPv6"}');
});

it("counts what fails, what is forgotten, and Services whose endpoints are elsewhere", () => {
  const status = new ProxyStatus(new FakeClock(START_MS));
  status.metrics.failed("IPv4");
  status.metrics.flowsForgotten("IPv4", { tookMs: 5, deleted: 3 });
  status.metrics.withoutLocal("IPv6", { internal: 1, external: 2 });
  status.metrics.answered("healthz", 503);
  expect(samples(status)).toMatchObject({
    'kubeproxy_sync_proxy_rules_nftables_sync_failures_total{ip_family="IPv4"}': 1,
    'kubeproxy_conntrack_reconciler_deleted_entries_total{ip_family="IPv4"}': 3,
    'kubeproxy_sync_proxy_rules_no_local_endpoints_total{ip_family="IPv6",traffic_policy="internal"}': 1,
    'kubeproxy_sync_proxy_rules_no_local_endpoints_total{ip_family="IPv6",traffic_policy="external"}': 2,
    'kubeproxy_proxy_healthz_total{code="503"}': 1,
    process_resident_memory_bytes: 1024,
  });
});

it("is ill when it never comes to write anything", async () => {
  const clock = new FakeClock(START_MS);
  const status = new ProxyStatus(clock);
  status.queued();
  await clock.advance(60_000);
  expect(status.health.isHealthy()).toBe(false);
});
