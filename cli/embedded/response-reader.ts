/** What an upstream response turns into, piece by piece. `onEnd` comes last, once. */
export interface ResponseSink {
  /** `headers`: name, value, name, value; names as they came, hop-by-hop ones left out. */
  onHead(status: number, headers: string[]): void;
  onData(chunk: Buffer): void;
  onEnd(): void;
}

/** More than kj-http sends; a head beyond it means that we lost the framing. */
const MAX_HEAD_BYTES = 256 * 1024;
const CRLF = "\r\n";
const HEAD_END = Buffer.from("\r\n\r\n");
/** Of one hop only (RFC 9110 §7.6.1). */
const HOP_BY_HOP = /^(connection|keep-alive|proxy-connection|transfer-encoding|upgrade)$/i;

type State = "head" | "counted" | "chunkSize" | "chunkData" | "chunkEnd" | "trailers" | "untilClose" | "done";

/**
 * Reads HTTP/1.1 responses of workerd, one after the other on one connection. Strict, and only for a peer that we started
 * ourselves: Node.js' own client costs five times as much per request, most of it for cases that cannot occur here.
 */
export class ResponseReader {
  #state: State = "done";
  #sink: ResponseSink | undefined;
  #isHeadRequest = false;
  /** Bytes of a head or chunk size that are not complete yet. */
  #held: Buffer | undefined;
  #leftBytes = 0;
  #isLast = false;

  /** The next bytes answer a request of this method. */
  expect(method: string, sink: ResponseSink): void {
    this.#state = "head";
    this.#sink = sink;
    this.#isHeadRequest = method === "HEAD";
    this.#held = undefined;
    this.#isLast = false;
  }

  /** The peer said that it closes the connection after this response. */
  get isLast(): boolean {
    return this.#isLast;
  }

  get isDone(): boolean {
    return this.#state === "done";
  }

  /** @throws Error if the bytes are not HTTP; the connection must be dropped then */
  feed(bytes: Buffer): void {
    let rest = this.#held ? Buffer.concat([this.#held, bytes]) : bytes;
    this.#held = undefined;
    while (rest.length > 0) {
      const before = rest.length;
      rest = this.#step(rest);
      if (this.#held) return;
      if (this.#state === "done" && rest.length > 0) throw new Error("bytes after the end of a response");
      if (rest.length === before) throw new Error("no progress in a response");
    }
  }

  /** The connection ended. @returns whether that was the proper end of a response */
  close(): boolean {
    if (this.#state === "untilClose") this.#finish();
    return this.#state === "done";
  }

  #step(bytes: Buffer): Buffer {
    switch (this.#state) {
      case "head":
        return this.#readHead(bytes);
      case "counted": {
        const part = bytes.subarray(0, this.#leftBytes);
        this.#leftBytes -= part.length;
        this.#sink!.onData(part);
        if (this.#leftBytes === 0) this.#finish();
        return bytes.subarray(part.length);
      }
      case "chunkSize": {
        const line = this.#readLine(bytes);
        if (!line) return bytes;
        const size = Number.parseInt(line.text, 16);
        if (!(size >= 0)) throw new Error(`a chunk of size "${line.text}"`);
        this.#leftBytes = size;
        this.#state = size === 0 ? "trailers" : "chunkData";
        return line.rest;
      }
      case "chunkData": {
        const part = bytes.subarray(0, this.#leftBytes);
        this.#leftBytes -= part.length;
        if (this.#leftBytes === 0) this.#state = "chunkEnd";
        this.#sink!.onData(part);
        return bytes.subarray(part.length);
      }
      case "chunkEnd": {
        const line = this.#readLine(bytes);
        if (!line) return bytes;
        this.#state = "chunkSize";
        return line.rest;
      }
      case "trailers": {
        const line = this.#readLine(bytes);
        if (!line) return bytes;
        if (line.text === "") this.#finish();
        return line.rest;
      }
      case "untilClose":
        this.#sink!.onData(bytes);
        return bytes.subarray(bytes.length);
      case "done":
        throw new Error("a response that nobody asked for");
    }
  }

  #readHead(bytes: Buffer): Buffer {
    const end = bytes.indexOf(HEAD_END);
    if (end < 0) {
      if (bytes.length > MAX_HEAD_BYTES) throw new Error("a response head without an end");
      this.#held = bytes;
      return bytes;
    }
    const lines = bytes.toString("latin1", 0, end).split(CRLF);
    const status = Number(lines[0]!.slice(9, 12));
    if (!lines[0]!.startsWith("HTTP/1.1 ") || !(status >= 100)) throw new Error(`a status line "${lines[0]}"`);
    const rest = bytes.subarray(end + HEAD_END.length);
    if (status === 101) throw new Error("an upgrade that was not asked for");
    if (status < 200) return rest; // informational: the real head follows
    const headers: string[] = [];
    let length: number | undefined;
    let isChunked = false;
    for (let i = 1; i < lines.length; i++) {
      const line = lines[i]!;
      const colon = line.indexOf(":");
      const name = line.slice(0, colon);
      const value = line.slice(colon + 1).trim();
      if (name.length === 14 && name.toLowerCase() === "content-length") length = Number(value);
      if (HOP_BY_HOP.test(name)) {
        if (name.length === 17) isChunked = true; // Transfer-Encoding, which kj-http only uses for chunks
        if (name.length === 10 && /close/i.test(value)) this.#isLast = true; // Connection
        continue;
      }
      headers.push(name, value);
    }
    this.#begin(status, length, isChunked);
    this.#sink!.onHead(status, headers);
    if (this.#leftBytes === 0 && this.#state === "counted") this.#finish();
    return rest;
  }

  #begin(status: number, length: number | undefined, isChunked: boolean): void {
    this.#leftBytes = 0;
    if (this.#isHeadRequest || status === 204 || status === 304) this.#state = "counted";
    else if (isChunked) this.#state = "chunkSize";
    else if (length === undefined) this.#state = "untilClose";
    else {
      this.#state = "counted";
      this.#leftBytes = length;
    }
  }

  #readLine(bytes: Buffer): { text: string; rest: Buffer } | undefined {
    const end = bytes.indexOf(CRLF);
    if (end >= 0) return { text: bytes.toString("latin1", 0, end), rest: bytes.subarray(end + 2) };
    if (bytes.length > MAX_HEAD_BYTES) throw new Error("a line without an end");
    this.#held = bytes;
    return undefined;
  }

  #finish(): void {
    this.#state = "done";
    this.#sink?.onEnd();
  }
}
