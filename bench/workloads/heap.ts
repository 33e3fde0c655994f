interface Answer {
  id: number;
  result: { usedSize?: number };
}

/**
 * What the control plane's isolate holds, in bytes, after its garbage was collected.
 * @param address where HEARTH_INSPECT has workerd's inspector listen
 */
export async function heapBytes(address: string): Promise<number> {
  const [target] = (await (await fetch(`http://${address}/json`)).json()) as { webSocketDebuggerUrl: string }[];
  const socket = new WebSocket(target!.webSocketDebuggerUrl);
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = () => reject(new Error(`no inspector at ${address}`));
  });
  let id = 0;
  const call = (method: string) =>
    new Promise<Answer["result"]>((resolve) => {
      const own = ++id;
      socket.addEventListener("message", ({ data }) => {
        const answer = JSON.parse(String(data)) as Answer;
        if (answer.id === own) resolve(answer.result);
      });
      socket.send(JSON.stringify({ id: own, method }));
    });
  try {
    await call("HeapProfiler.collectGarbage");
    return (await call("Runtime.getHeapUsage")).usedSize!;
  } finally {
    socket.close();
  }
}
