import { createServer } from "node:net";
import { UserError } from "./errors.ts";

/** @throws UserError if something listens there, or we may not */
export async function assertPortFree(port: number): Promise<void> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => server.once("error", reject).listen(port, () => resolve()));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EADDRINUSE") {
      throw new UserError(`port ${port} is taken by another program`, `choose another: ./hearth up --port ${port + 1}`);
    }
    throw new UserError(`port ${port} cannot be used: ${code}`, "choose another with --port");
  } finally {
    server.close();
  }
}

/** For commander: a TCP port. */
export function parsePort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new UserError(`"${text}" is not a port (1 to 65535)`);
  return port;
}
