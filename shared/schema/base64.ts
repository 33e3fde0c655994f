const ALPHABET = /^[A-Za-z0-9+/]*$/;

/**
 * Base64 as Go decodes and encodes it again: line breaks are dropped, padding is required.
 * @throws RangeError with Go's message
 */
export function canonicalBase64(text: string): string {
  const packed = /[\r\n]/.test(text) ? text.replace(/[\r\n]/g, "") : text;
  const body = packed.endsWith("==") ? packed.slice(0, -2) : packed.endsWith("=") ? packed.slice(0, -1) : packed;
  if (packed.length % 4 === 0 && ALPHABET.test(body)) return packed;
  throw new RangeError(`illegal base64 data at input byte ${firstIllegal(text)}`);
}

/** Where Go's decoder stops: at a byte outside the alphabet, at misplaced padding, or where a quantum ends too early. */
function firstIllegal(text: string): number {
  let inQuantum = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === "\r" || char === "\n") continue;
    if (char === "=") {
      if (inQuantum < 2) return at;
      return illegalPadding(text, at, inQuantum);
    }
    if (!ALPHABET.test(char)) return at;
    inQuantum = (inQuantum + 1) % 4;
  }
  return text.length - inQuantum;
}

function illegalPadding(text: string, at: number, inQuantum: number): number {
  let next = at + 1;
  const skipBreaks = () => {
    while (text.charAt(next) === "\r" || text.charAt(next) === "\n") next++;
  };
  skipBreaks();
  if (inQuantum === 2) {
    if (next >= text.length) return text.length;
    if (text.charAt(next) !== "=") return next;
    next++;
    skipBreaks();
  }
  return next;
}

/** Few enough for one call's arguments. */
const CHUNK_BYTES = 8192;

/** Bytes as Go encodes them: the standard alphabet, padded. */
export function encodeBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK_BYTES));
  }
  return btoa(binary);
}

/** The bytes of standard base64 with its padding. @throws DOMException for anything else */
export const decodeBase64 = (text: string): Uint8Array => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
