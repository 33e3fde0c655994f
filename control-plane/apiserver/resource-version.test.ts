import { expect, it } from "vitest";
import { badListVersion, badReadVersion, parseRevision, tooLargeVersion } from "./resource-version.ts";

it.each([
  { text: "", want: undefined },
  { text: "0", want: undefined },
  { text: "00", want: undefined },
  { text: "7", want: 7 },
  { text: "007", want: 7 },
])("$text is the revision $want", ({ text, want }) => expect(parseRevision(text, badListVersion)).toBe(want));

it.each(["abc", "-1", "1.5", " ", "0x1"])("%j is no version", (text) => {
  const why = `resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`;
  expect(() => parseRevision(text, badReadVersion)).toThrow(why);
  expect(() => parseRevision(text, badListVersion)).toThrow(`invalid resource version: ${why}`);
});

it("a version past 64 bits is out of range, one past 53 is later than any", () => {
  expect(() => parseRevision("99999999999999999999", badListVersion)).toThrow("value out of range");
  expect(parseRevision("999999999999999999", badListVersion)).toBeGreaterThan(Number.MAX_SAFE_INTEGER);
  const { message } = tooLargeVersion("999999999999999999", 5).status;
  expect(message).toBe("Timeout: Too large resource version: 999999999999999999, current: 5");
});
