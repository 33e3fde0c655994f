import { describe, expect, it } from "vitest";
import { listIfThere } from "./nft.ts";
import { followProgram, runProgram } from "./run-program.ts";

describe("runProgram", () => {
  it("gives what was printed for what was read", async () =>
    expect(await runProgram("cat", [], { input: "ä\n".repeat(100_000) })).toBe("ä\n".repeat(100_000)));

  it.each([
    { name: "its own words", script: "echo no such luck >&2; exit 3", error: "sh: no such luck" },
    { name: "its status, when it says nothing", script: "exit 3", error: "sh: ended with 3" },
    { name: "what ended it", script: "kill -9 $$", error: "sh: ended with SIGKILL" },
  ])("fails with $name", async ({ script, error }) => {
    await expect(runProgram("sh", ["-c", script])).rejects.toThrow(error);
  });

  it("a program that does not read what it is given is judged by its end", async () =>
    expect(await runProgram("true", [], { input: "x".repeat(1_000_000) })).toBe(""));

  it("reads what is told bit by bit, no faster than it can", async () => {
    let told = 0;
    function* numbers() {
      for (; told < 100_000; told++) yield `${told}\n`;
    }
    const script = "head -c 6; cat > /dev/null";
    expect(await runProgram("sh", ["-c", script], { input: numbers() })).toBe("0\n1\n2\n");
    expect(told).toBe(100_000);
    told = 0;
    expect(await runProgram("head", ["-n", "1"], { input: numbers() })).toBe("0\n");
    expect(told).toBeLessThan(100_000);
  });

  it("is ended when what it reads cannot be told", async () => {
    function* broken() {
      yield "a\n";
      throw new Error("no more words");
    }
    await expect(runProgram("cat", [], { input: broken() })).rejects.toThrow("no more words");
  });

  it("ends one that prints too much, or takes too long, and fails without one", async () => {
    await expect(runProgram("yes", [], { maxOutput: 1_000 })).rejects.toThrow("yes printed more than 1000 characters");
    await expect(runProgram("sleep", ["60"], { timeoutMs: 50 })).rejects.toThrow("sleep: ended with SIGTERM");
    await expect(runProgram("no-such-program", [])).rejects.toThrow("ENOENT");
  });
});

describe("followProgram", () => {
  it("hands on lines, and settles at the end", async () => {
    const lines: string[] = [];
    const onLine = (line: string) => void lines.push(line);
    await followProgram("printf", ["a\\nb\\nc"], { onLine, signal: new AbortController().signal });
    expect(lines).toEqual(["a", "b", "c"]);
  });

  it("ends the program with the signal, and says when there is none", async () => {
    const stopping = new AbortController();
    const onLine = () => stopping.abort();
    await followProgram("yes", [], { onLine, signal: stopping.signal });
    const { signal } = new AbortController();
    await expect(followProgram("no-such-program", [], { onLine, signal })).rejects.toThrow("ENOENT");
  });
});

describe.skipIf(process.getuid?.() !== 0)("listIfThere (as root)", () => {
  it("a table that is not there is none; words that nft does not know are an error", async () => {
    expect(await listIfThere(["list", "table", "inet", `no-such-${process.pid}`])).toBeUndefined();
    await expect(listIfThere(["lisst"])).rejects.toThrow("nft: ");
  });
});
