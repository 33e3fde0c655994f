import { expect, it } from "vitest";
import { Group } from "./grouped-stores.ts";

function recording(refuse?: Error) {
  const asked: number[][] = [];
  const group = new Group<number, string>(
    async (questions) => {
      asked.push(questions);
      if (refuse) throw refuse;
      return questions.map(String);
    },
    () => 100_000,
  );
  return { group, asked };
}

it("asks together what comes in one turn, and gives each its own answer", async () => {
  const { group, asked } = recording();
  expect(await Promise.all([group.add(1), group.add(2)])).toEqual(["1", "2"]);
  expect(await group.add(3)).toBe("3");
  expect(asked).toEqual([[1, 2], [3]]);
});

it("does not let a group grow over its bounds", async () => {
  const { group, asked } = recording();
  const questions = Array.from({ length: 100 }, (_, i) => i);
  expect(await Promise.all(questions.map((question) => group.add(question)))).toEqual(questions.map(String));
  expect(asked.flat()).toEqual(questions);
  expect(Math.max(...asked.map(({ length }) => length))).toBe(42);
});

it("tells all of a failure, and asks anew afterwards", async () => {
  const { group, asked } = recording(new Error("gone"));
  const results = await Promise.allSettled([group.add(1), group.add(2)]);
  expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  await expect(group.add(3)).rejects.toThrow("gone");
  expect(asked).toEqual([[1, 2], [3]]);
});
