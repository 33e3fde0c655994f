import { CelError, CelUint, type CelValue } from "./values.ts";

const ESCAPED: Record<string, string> = { a: "\x07", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" };
const ESCAPE =
  /\\(?:x([0-9a-fA-F]{2})|X([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|([\s\S]))/g;

/** The value that a literal of the grammar stands for. */
export function literalValue(type: string, text: string): CelValue {
  switch (type) {
    case "bool":
      return text === "true";
    case "null":
      return null;
    case "int":
      return text.startsWith("-") ? -BigInt(text.slice(1)) : BigInt(text);
    case "uint":
      return new CelUint(BigInt(text.slice(0, -1)));
    case "double":
      return Number(text);
    case "string":
      return textOf(text);
    case "bytes":
      return bytesOf(text);
    default:
      throw new CelError(`unsupported literal: ${type}`);
  }
}

/** What stands between the quotes, and whether its backslashes are just that. */
function unquoted(literal: string): { content: string; isRaw: boolean } {
  const isRaw = /^[rR]/.test(literal);
  const quoted = isRaw ? literal.slice(1) : literal;
  const length = quoted.startsWith('"""') || quoted.startsWith("'''") ? 3 : 1;
  return { content: quoted.slice(length, -length), isRaw };
}

function textOf(literal: string): string {
  const { content, isRaw } = unquoted(literal);
  if (isRaw) return content;
  return content.replace(ESCAPE, (_all, x, capitalX, u, capitalU, octal, other) => {
    const hex: string | undefined = x ?? capitalX ?? u ?? capitalU;
    if (hex === undefined && octal === undefined) return ESCAPED[other] ?? other;
    return codePoint(hex === undefined ? Number.parseInt(octal, 8) : Number.parseInt(hex, 16));
  });
}

function codePoint(code: number): string {
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) throw new CelError("invalid unicode code point");
  return String.fromCodePoint(code);
}

/** Escapes of one byte are that byte, all else is UTF-8. */
function bytesOf(literal: string): Uint8Array {
  const rawFirst = /^[rR][bB]/.test(literal);
  const { content, isRaw } = unquoted(rawFirst ? `r${literal.slice(2)}` : literal.slice(1));
  const encoder = new TextEncoder();
  if (isRaw) return encoder.encode(content);
  const parts: number[] = [];
  let from = 0;
  for (const found of content.matchAll(ESCAPE)) {
    parts.push(...encoder.encode(content.slice(from, found.index)));
    const [all, x, capitalX, u, capitalU, octal, other] = found;
    const byte = x ?? capitalX;
    if (byte !== undefined) parts.push(Number.parseInt(byte, 16));
    else if (octal !== undefined) parts.push(Number.parseInt(octal, 8));
    else {
      const hex = u ?? capitalU;
      parts.push(...encoder.encode(hex ? codePoint(Number.parseInt(hex, 16)) : (ESCAPED[other!] ?? other!)));
    }
    from = found.index + all.length;
  }
  parts.push(...encoder.encode(content.slice(from)));
  return Uint8Array.from(parts);
}
