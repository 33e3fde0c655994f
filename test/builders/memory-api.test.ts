import { expect, it } from "vitest";
import { PODS } from "../../shared/api/refs.ts";
import { MemoryApi } from "./memory-api.ts";
import { pod } from "./objects.ts";

const api = new MemoryApi();
await api.create(PODS, pod("web").labelled({ app: "web" }).build());
await api.create(PODS, pod("db").labelled({ app: "db" }).build());
await api.create(PODS, pod("far").in("elsewhere").labelled({ app: "web" }).build());

it.each([
  { name: "all", options: {}, want: ["web", "db", "far"] },
  { name: "those of a namespace", options: { namespace: "default" }, want: ["web", "db"] },
  { name: "those that a selector selects", options: { labelSelector: "app=web" }, want: ["web", "far"] },
  {
    name: "those that it selects in a namespace",
    options: { namespace: "default", labelSelector: "app!=web" },
    want: ["db"],
  },
  { name: "all, by the selector of everything", options: { labelSelector: "" }, want: ["web", "db", "far"] },
])("lists $name", async ({ options, want }) => {
  const { items } = await api.list(PODS, options);
  expect(items.map(({ metadata }) => metadata.name)).toEqual(want);
});
