const utf8 = new TextEncoder();
/** Up to here text is written by hand: cheaper than a call of the platform's encoder. */
const SHORT_TEXT_CHARACTERS = 40;
const INITIAL_BYTES = 64 * 1024;

/**
 * Writes a protobuf message from its last byte to its first: when the length of a nested message is due, its content is
 * there already, so that nothing is measured beforehand or moved afterwards. Whoever calls it writes fields in reverse.
 */
export class BackwardWriter {
  #buffer = new Uint8Array(INITIAL_BYTES);
  /** Where the first of the written bytes is. */
  #at = INITIAL_BYTES;

  /** How much is written; what a nested message's `close` needs, taken before its content. */
  get length(): number {
    return this.#buffer.length - this.#at;
  }

  /** A copy, of just the size. */
  finish(): Uint8Array<ArrayBuffer> {
    return this.#buffer.slice(this.#at);
  }

  /** Turns all that was written since the writer had `length` into the value of a field. */
  close(field: number, length: number): void {
    this.#varint(this.length - length);
    this.#tag(field, 2);
  }

  string(field: number, text: string): void {
    const before = this.length;
    if (text.length > SHORT_TEXT_CHARACTERS || !this.#ascii(text)) this.#raw(utf8.encode(text));
    this.close(field, before);
  }

  boolean(field: number, value: boolean): void {
    this.#varint(value ? 1 : 0);
    this.#tag(field, 0);
  }

  /** @param value whole, 0 at least: lengths and counts */
  int64(field: number, value: number): void {
    this.#varint(value);
    this.#tag(field, 0);
  }

  double(field: number, value: number): void {
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setFloat64(0, value, true);
    this.#raw(bytes);
    this.#tag(field, 1);
  }

  #tag(field: number, wireType: number): void {
    this.#varint(field * 8 + wireType);
  }

  #varint(value: number): void {
    let size = 1;
    for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size++;
    let at = this.#reserve(size);
    for (let rest = value; size > 0; size--, rest = Math.floor(rest / 0x80)) {
      this.#buffer[at++] = (rest % 0x80) | (size > 1 ? 0x80 : 0);
    }
  }

  #raw(bytes: Uint8Array): void {
    const at = this.#reserve(bytes.length);
    this.#buffer.set(bytes, at);
  }

  /** @returns false, with nothing written, for a text that has other characters */
  #ascii(text: string): boolean {
    const at = this.#reserve(text.length);
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code >= 0x80) {
        this.#at += text.length;
        return false;
      }
      this.#buffer[at + i] = code;
    }
    return true;
  }

  #reserve(size: number): number {
    if (size > this.#at) {
      const { length } = this;
      const grown = new Uint8Array(Math.max(this.#buffer.length * 2, length + size));
      grown.set(this.#buffer.subarray(this.#at), grown.length - length);
      this.#at = grown.length - length;
      this.#buffer = grown;
    }
    this.#at -= size;
    return this.#at;
  }
}
