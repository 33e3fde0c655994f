import { expect, it } from "vitest";
import type { EndpointSlice } from "../../shared/api/types.ts";
import { createServiceIndex } from "./service-index.ts";

it("knows the slices of each Service as they come, move and go", () => {
  const slices = new Map<string, EndpointSlice>();
  const index = createServiceIndex(slices);
  const put = (name: string, service?: string) => {
    const labels: Record<string, string> = service ? { "kubernetes.io/service-name": service } : {};
    slices.set(`shop/${name}`, {
      metadata: { name, namespace: "shop", labels },
      addressType: "IPv4",
      endpoints: [],
    });
    return [...index.update([`shop/${name}`])].sort();
  };
  const namesOf = (service: string) => index.slicesOf(`shop/${service}`).map(({ metadata }) => metadata.name);
  expect(put("a-1", "a")).toEqual(["shop/a"]);
  expect(put("a-2", "a")).toEqual(["shop/a"]);
  expect(put("stray")).toEqual([]);
  expect(namesOf("a")).toEqual(["a-1", "a-2"]);
  expect(put("a-1", "a")).toEqual(["shop/a"]);
  expect(namesOf("a")).toEqual(["a-1", "a-2"]);
  expect(put("a-1", "b")).toEqual(["shop/a", "shop/b"]);
  expect([namesOf("a"), namesOf("b")]).toEqual([["a-2"], ["a-1"]]);
  slices.delete("shop/a-2");
  expect([...index.update(["shop/a-2"])]).toEqual(["shop/a"]);
  expect(namesOf("a")).toEqual([]);
});
