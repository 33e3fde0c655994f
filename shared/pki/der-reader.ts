/** Reads ASN.1 in DER (X.690), as far as certificate requests need it. What is read is foreign: every length is checked. */

/** How deep elements may lie in one another; a certificate request has six levels. */
const MAX_DEPTH = 16;

export interface DerElement {
  tag: number;
  contents: Uint8Array;
  /** With tag and length. */
  whole: Uint8Array;
}

export const DER_TAG = {
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  sequence: 0x30,
  set: 0x31,
} as const;

/**
 * The elements that stand one after the other.
 * @throws Error where a length does not fit, or a tag has more than one byte
 */
export function readElements(bytes: Uint8Array): DerElement[] {
  const elements: DerElement[] = [];
  for (let at = 0; at < bytes.length; ) {
    const { length, headerLength } = readHeader(bytes, at);
    const end = at + headerLength + length;
    if (end > bytes.length) throw new Error("asn1: an element is longer than what holds it");
    elements.push({
      tag: bytes[at]!,
      contents: bytes.subarray(at + headerLength, end),
      whole: bytes.subarray(at, end),
    });
    at = end;
  }
  return elements;
}

function readHeader(bytes: Uint8Array, at: number): { length: number; headerLength: number } {
  if ((bytes[at]! & 0x1f) === 0x1f) throw new Error("asn1: a tag of several bytes");
  const first = bytes[at + 1];
  if (first === undefined) throw new Error("asn1: no length");
  if (first < 0x80) return { length: first, headerLength: 2 };
  const size = first & 0x7f;
  if (size === 0 || size > 3) throw new Error("asn1: a length that is not DER");
  let length = 0;
  for (let i = 0; i < size; i++) {
    const byte = bytes[at + 2 + i];
    if (byte === undefined) throw new Error("asn1: no length");
    length = (length << 8) | byte;
  }
  return { length, headerLength: 2 + size };
}

/** The one element that the bytes are. @throws Error for another tag, or for more */
export function readOnly(bytes: Uint8Array, tag: number): DerElement {
  const [only, ...rest] = readElements(bytes);
  if (only?.tag !== tag || rest.length > 0) throw new Error(`asn1: no single element of tag ${tag}`);
  return only;
}

/** `1.2.840.113549`. @throws Error for what is no object identifier */
export function oidText({ tag, contents }: DerElement): string {
  if (tag !== DER_TAG.oid || contents.length === 0 || contents.length > 64)
    throw new Error("asn1: no object identifier");
  const arcs: number[] = [];
  let value = 0;
  for (const byte of contents) {
    value = value * 128 + (byte & 0x7f);
    if (value > Number.MAX_SAFE_INTEGER / 128) throw new Error("asn1: an arc that is too large");
    if ((byte & 0x80) !== 0) continue;
    arcs.push(value);
    value = 0;
  }
  const [head = 0, ...rest] = arcs;
  const first = Math.min(2, Math.floor(head / 40));
  return [first, head - first * 40, ...rest].join(".");
}

/** Descends by positions; each step opens a constructed element. @throws Error where there is none */
export function elementAt(element: DerElement, ...path: number[]): DerElement {
  if (path.length > MAX_DEPTH) throw new Error("asn1: too deep");
  let current = element;
  for (const index of path) {
    const next = readElements(current.contents)[index];
    if (!next) throw new Error("asn1: an element is missing");
    current = next;
  }
  return current;
}
