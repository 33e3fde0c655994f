import { expect, it } from "vitest";
import { parseInt64 } from "./int64.ts";

it.each<{ text: string; want: bigint | undefined }>([
  { text: "0", want: 0n },
  { text: "-1", want: -1n },
  { text: "+7", want: 7n },
  { text: "007", want: 7n },
  { text: "9223372036854775807", want: 2n ** 63n - 1n },
  { text: "-9223372036854775808", want: -(2n ** 63n) },
  { text: "9223372036854775808", want: undefined },
  { text: "-9223372036854775809", want: undefined },
  { text: "0".repeat(65), want: undefined },
  { text: "", want: undefined },
  { text: "+", want: undefined },
  { text: "+-1", want: undefined },
  { text: "1.0", want: undefined },
  { text: "1e3", want: undefined },
  { text: "0x10", want: undefined },
  { text: " 1", want: undefined },
])("$text", ({ text, want }) => expect(parseInt64(text)).toBe(want));
