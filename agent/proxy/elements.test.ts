import { expect, it } from "vitest";
import { Elements } from "./elements.ts";
import type { Element } from "./pieces.ts";

const goto = (chain: string): Element => ({ set: "service-ips", key: "192.0.2.1 . tcp . 80", value: `goto ${chain}` });
const IP: Element = { set: "cluster-ips", key: "10.96.0.1" };

/** Counts, and commits. @returns what the kernel is told: + added, - removed */
function step(elements: Elements, ...counts: [Element, 1 | -1][]): string[] {
  const delta = elements.delta();
  for (const [element, by] of counts) delta.count(element, by);
  const { removals, additions } = delta.changes();
  delta.commit();
  const show = ({ key, value = "" }: Element) => `${key} ${value}`.trim();
  return [...removals.map((each) => `-${show(each)}`), ...additions.map((each) => `+${show(each)}`)];
}

it("tells an entry once, however many want it, and takes it away with the last", () => {
  const elements = new Elements();
  expect(step(elements, [IP, 1], [IP, 1])).toEqual(["+10.96.0.1"]);
  expect(step(elements, [IP, 1], [IP, -1])).toEqual([]);
  expect(step(elements, [IP, -1])).toEqual([]);
  expect([...elements.all()]).toEqual([IP]);
  expect(step(elements, [IP, -1])).toEqual(["-10.96.0.1"]);
  expect([...elements.all()]).toEqual([]);
});

it("gives an entry that several claim to the first by name", () => {
  const elements = new Elements();
  const at = "192.0.2.1 . tcp . 80";
  expect(step(elements, [goto("b"), 1])).toEqual([`+${at} goto b`]);
  expect(step(elements, [goto("c"), 1])).toEqual([]);
  expect(step(elements, [goto("a"), 1])).toEqual([`-${at} goto b`, `+${at} goto a`]);
  expect([...elements.all()]).toEqual([goto("a")]);
  expect(step(elements, [goto("b"), -1])).toEqual([]);
  expect(step(elements, [goto("a"), -1])).toEqual([`-${at} goto a`, `+${at} goto c`]);
  expect(step(elements, [goto("c"), -1], [goto("d"), 1])).toEqual([`-${at} goto c`, `+${at} goto d`]);
});

it("leaves what there is alone until it is committed", () => {
  const elements = new Elements();
  elements.delta().count(IP, 1);
  expect([...elements.all()]).toEqual([]);
});
