import { connect, createServer, type IncomingHttpHeaders, type ServerHttp2Stream } from "node:http2";
import { connect as dial } from "node:net";

/** Stands between a gRPC client and its server on Unix sockets, and notes the path of each call. */
export interface GrpcRecorder {
  readonly calls: string[];
  close(): void;
}

export async function recordGrpc({ listen, target }: { listen: string; target: string }): Promise<GrpcRecorder> {
  const calls: string[] = [];
  const upstream = connect("http://localhost", { createConnection: () => dial(target) });
  const server = createServer();
  const sessions = new Set<{ destroy(): void }>();
  server.on("session", (session) => {
    sessions.add(session);
    session.on("error", () => {}); // the client went
  });
  server.on("stream", (stream, headers) => {
    calls.push(String(headers[":path"]));
    forward(stream, headers);
  });

  function forward(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    const request = upstream.request({ ...headers });
    let trailers: IncomingHttpHeaders = {};
    stream.on("error", () => request.destroy());
    request.on("error", () => stream.destroy());
    stream.on("close", () => request.close());
    stream.pipe(request);
    request.on("trailers", (received: IncomingHttpHeaders) => {
      trailers = received;
    });
    request.on("response", (received, flags) => {
      if (stream.destroyed) return;
      const isAll = (flags & 1) !== 0; // END_STREAM: a refusal has its trailers in place of headers
      stream.respond(received, isAll ? { endStream: true } : { waitForTrailers: true });
      if (isAll) return;
      stream.on("wantTrailers", () => stream.sendTrailers(trailers));
      request.pipe(stream);
    });
  }

  await new Promise<void>((resolve) => server.listen(listen, resolve));
  return {
    calls,
    close() {
      upstream.destroy();
      for (const session of sessions) session.destroy();
      server.close();
    },
  };
}
