/**
 * Lets waiting requests from outside in. workerd looks at its sockets only when nothing in the process is ready to run,
 * and calls between Durable Objects of one process never touch a socket: a long row of them, each following on the
 * last, would keep all clients waiting until its end. A timer breaks the row.
 */
export const yieldToIo = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));
