const FIRST_BYTES = 1_024;
/** A varint of 64 bits. */
const MAX_VARINT_BYTES = 10;
/** Up to here ASCII is copied by hand: cheaper than a call of the platform's encoder. */
const SHORT_TEXT_CHARS = 40;
/** UTF-16 units become three bytes at most. */
const MAX_BYTES_PER_CHAR = 3;

const utf8 = new TextEncoder();

/** Writes protobuf's primitives one after the other into memory that grows with them. */
export class Writer {
  #bytes: Uint8Array<ArrayBuffer> = new Uint8Array(FIRST_BYTES);
  #at = 0;

  get length(): number {
    return this.#at;
  }

  /** All that was written: a view, true until more is. */
  get written(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#at);
  }

  tag(number: number, wireType: number): void {
    this.varint(number * 8 + wireType);
  }

  /** Whole numbers to 2^53 either way; negative ones take ten bytes, as 64 bits. */
  varint(value: number): void {
    this.#reserve(MAX_VARINT_BYTES);
    let high = Math.floor(value / 2 ** 32);
    let low = (value - high * 2 ** 32) >>> 0;
    high >>>= 0;
    while (high > 0 || low >= 0x80) {
      this.#bytes[this.#at++] = (low & 0x7f) | 0x80;
      low = ((low >>> 7) | (high << 25)) >>> 0;
      high >>>= 7;
    }
    this.#bytes[this.#at++] = low;
  }

  boolean(value: boolean): void {
    this.varint(value ? 1 : 0);
  }

  double(value: number): void {
    this.#reserve(8);
    new DataView(this.#bytes.buffer).setFloat64(this.#at, value, true);
    this.#at += 8;
  }

  bytes(value: Uint8Array): void {
    this.varint(value.length);
    this.#reserve(value.length);
    this.#bytes.set(value, this.#at);
    this.#at += value.length;
  }

  string(text: string): void {
    if (text.length <= SHORT_TEXT_CHARS && this.#shortAscii(text)) return;
    const start = this.begin();
    this.#reserve(text.length * MAX_BYTES_PER_CHAR);
    this.#at += utf8.encodeInto(text, this.#bytes.subarray(this.#at)).written;
    this.end(start);
  }

  /** False, and nothing written, if a character is not ASCII. */
  #shortAscii(text: string): boolean {
    this.#reserve(text.length + 1);
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code >= 0x80) return false;
      this.#bytes[this.#at + 1 + index] = code;
    }
    this.#bytes[this.#at] = text.length;
    this.#at += text.length + 1;
    return true;
  }

  /** What follows is a value of a length that is not known yet. @returns what `end` needs */
  begin(): number {
    this.#reserve(1);
    return this.#at++;
  }

  /** Puts the length before what was written since `begin`, which moves when the length takes more than a byte. */
  end(start: number): void {
    const length = this.#at - start - 1;
    if (length < 0x80) {
      this.#bytes[start] = length;
      return;
    }
    const more = Math.floor(Math.log2(length) / 7);
    this.#reserve(more);
    this.#bytes.copyWithin(start + 1 + more, start + 1, this.#at);
    this.#at = start;
    this.varint(length);
    this.#at += length;
  }

  /** Bytes as they are, without their length. */
  raw(value: Uint8Array): void {
    this.#reserve(value.length);
    this.#bytes.set(value, this.#at);
    this.#at += value.length;
  }

  #reserve(count: number): void {
    const needed = this.#at + count;
    if (needed <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
    grown.set(this.#bytes.subarray(0, this.#at));
    this.#bytes = grown;
  }
}
