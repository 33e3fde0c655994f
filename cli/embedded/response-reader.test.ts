import { expect, it } from "vitest";
import { ResponseReader } from "./response-reader.ts";

interface Read {
  status: number;
  headers: string[];
  body: string;
  isEnded: boolean;
}

function expectResponse(reader: ResponseReader, method = "GET"): Read {
  const read: Read = { status: 0, headers: [], body: "", isEnded: false };
  reader.expect(method, {
    onHead: (status, headers) => Object.assign(read, { status, headers }),
    onData: (chunk) => {
      read.body += chunk.toString();
    },
    onEnd: () => {
      read.isEnded = true;
    },
  });
  return read;
}

it.each([
  { name: "keeps the connection", head: "", want: false },
  { name: "closes the connection", head: "Connection: close\r\n", want: true },
])("tells that the peer $name", ({ head, want }) => {
  const reader = new ResponseReader();
  for (const _again of [1, 2]) {
    expectResponse(reader);
    reader.feed(Buffer.from(`HTTP/1.1 400 Bad Request\r\n${head}Content-Length: 0\r\n\r\n`));
    expect(reader.isLast).toBe(want);
  }
});

const CASES = [
  { name: "a length", text: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nA: b\r\n\r\nhello", body: "hello", status: 200 },
  {
    name: "chunks",
    text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nA: b\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n",
    body: "hello",
    status: 200,
  },
  { name: "no body", text: "HTTP/1.1 204 No Content\r\nA: b\r\n\r\n", body: "", status: 204 },
  {
    name: "an informational head before it",
    text: "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 0\r\nA: b\r\n\r\n",
    body: "",
    status: 201,
  },
];

it.each(CASES)("reads a response with $name, however it is cut", ({ text, body, status }) => {
  for (let pieceBytes = 1; pieceBytes <= text.length; pieceBytes++) {
    const reader = new ResponseReader();
    const read = expectResponse(reader);
    for (let at = 0; at < text.length; at += pieceBytes) reader.feed(Buffer.from(text.slice(at, at + pieceBytes)));
    expect(read).toMatchObject({ status, body, isEnded: true });
    expect(read.headers.slice(-2)).toEqual(["A", "b"]);
    expect(reader.isDone).toBe(true);
  }
});

it("reads no body after HEAD, whatever length is named", () => {
  const reader = new ResponseReader();
  const read = expectResponse(reader, "HEAD");
  reader.feed(Buffer.from("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"));
  expect(read.isEnded).toBe(true);
});

it("takes the end of the connection for the end of a body without a length, and of no other", () => {
  const open = new ResponseReader();
  expectResponse(open);
  open.feed(Buffer.from("HTTP/1.1 200 OK\r\n\r\nhel"));
  expect(open.close()).toBe(true);
  const cut = new ResponseReader();
  expectResponse(cut);
  cut.feed(Buffer.from("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel"));
  expect(cut.close()).toBe(false);
});

it.each([
  { name: "another protocol", text: "SSH-2.0-x\r\n\r\n" },
  { name: "bytes after the end", text: "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab" },
  { name: "a chunk without a size", text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n" },
  { name: "an upgrade", text: "HTTP/1.1 101 Switching Protocols\r\n\r\n" },
])("refuses $name", ({ text }) => {
  const reader = new ResponseReader();
  expectResponse(reader);
  expect(() => reader.feed(Buffer.from(text))).toThrow();
});
