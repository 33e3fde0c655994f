/** A body that is no well-formed protobuf; the messages are those of upstream's generated decoders. */
export class ProtobufError extends Error {}

/** How a value lies on the wire. */
export const WireType = { varint: 0, fixed64: 1, bytes: 2, startGroup: 3, endGroup: 4, fixed32: 5 } as const;

const MAX_VARINT_BYTES = 10;
/** Up to here text is put together by hand: cheaper than a call of the platform's decoder. */
const SHORT_TEXT_BYTES = 40;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Reads protobuf's primitives from the front of a body. It never looks past `end`, which `enter` moves to the end of a
 * nested value and `leave` back.
 */
export class Reader {
  readonly #bytes: Uint8Array;
  #at: number;
  #end: number;
  /** The halves of the last varint. */
  #low = 0;
  #high = 0;

  constructor(bytes: Uint8Array, start = 0) {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = bytes.length;
  }

  get isDone(): boolean {
    return this.#at >= this.#end;
  }

  /** A field's number and wire type, in one: `number << 3 | wireType`. Its number may be past what is allowed. */
  tag(): number {
    this.#varint();
    return this.#high === 0 ? this.#low >>> 0 : this.#high * 2 ** 32 + (this.#low >>> 0);
  }

  int32(): number {
    this.#varint();
    return this.#low;
  }

  /** Not exact beyond 2^53, as with JSON. */
  int64(): number {
    this.#varint();
    return this.#high * 2 ** 32 + (this.#low >>> 0);
  }

  boolean(): boolean {
    this.#varint();
    return this.#low !== 0 || this.#high !== 0;
  }

  double(): number {
    this.#advance(8);
    return new DataView(this.#bytes.buffer, this.#bytes.byteOffset + this.#at - 8, 8).getFloat64(0, true);
  }

  /** A view of the body, not a copy. */
  bytes(): Uint8Array {
    const length = this.#length();
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  string(): string {
    const length = this.#length();
    this.#at += length;
    if (length <= SHORT_TEXT_BYTES) {
      const text = this.#asciiText(this.#at - length);
      if (text !== undefined) return text;
    }
    try {
      return utf8.decode(this.#bytes.subarray(this.#at - length, this.#at));
    } catch {
      throw new ProtobufError("string field contains invalid UTF-8");
    }
  }

  /** The text from there to here; undefined if it is not all ASCII. */
  #asciiText(start: number): string | undefined {
    let text = "";
    for (let at = start; at < this.#at; at++) {
      const byte = this.#bytes[at]!;
      if (byte >= 0x80) return undefined;
      text += String.fromCharCode(byte);
    }
    return text;
  }

  /** From here on the end is that of the value of which the length comes next. @returns what `leave` needs */
  enter(): number {
    const length = this.#length();
    const outer = this.#end;
    this.#end = this.#at + length;
    return outer;
  }

  leave(outer: number): void {
    this.#at = this.#end;
    this.#end = outer;
  }

  /** Passes over a value of a field that is not known. Groups are skipped by counting, however deep they are. */
  skip(wireType: number): void {
    let groups = 0;
    for (let type = wireType; ; type = this.tag() & 7) {
      if (type === WireType.varint) this.#varint();
      else if (type === WireType.fixed64) this.#advance(8);
      else if (type === WireType.fixed32) this.#advance(4);
      else if (type === WireType.bytes) this.bytes();
      else if (type === WireType.startGroup) groups++;
      else if (type === WireType.endGroup) {
        if (groups === 0) throw new ProtobufError("proto: unexpected end of group");
        groups--;
      } else throw new ProtobufError(`proto: illegal wireType ${type}`);
      if (groups === 0) return;
    }
  }

  #advance(count: number): void {
    if (count > this.#end - this.#at) throw new ProtobufError("unexpected EOF");
    this.#at += count;
  }

  #length(): number {
    const length = this.int64();
    if (length < 0) throw new ProtobufError("proto: negative length found during unmarshaling");
    if (length > this.#end - this.#at) throw new ProtobufError("unexpected EOF");
    return length;
  }

  /** Bits past the 64th are dropped, as upstream does. */
  #varint(): void {
    const first = this.#at < this.#end ? this.#bytes[this.#at]! : 0x80;
    if (first < 0x80) {
      this.#at++;
      this.#low = first;
      this.#high = 0;
      return;
    }
    let low = 0;
    let high = 0;
    for (let index = 0; index < MAX_VARINT_BYTES; index++) {
      if (this.#at >= this.#end) throw new ProtobufError("unexpected EOF");
      const byte = this.#bytes[this.#at++]!;
      const shift = index * 7;
      if (shift < 32) low |= (byte & 0x7f) << shift;
      if (shift >= 32) high |= (byte & 0x7f) << (shift - 32);
      else if (shift > 25) high |= (byte & 0x7f) >> (32 - shift);
      if (byte < 0x80) {
        this.#low = low;
        this.#high = high;
        return;
      }
    }
    throw new ProtobufError("proto: integer overflow");
  }
}
