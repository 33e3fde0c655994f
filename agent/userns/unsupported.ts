import type { RuntimeHandler } from "../cri/index.ts";

/**
 * Why a pod's runtime handler makes no user namespaces, in upstream's words; undefined if it does.
 * @param handlers as the runtime tells them; none from runtimes that do not (containerd before 2.0)
 * @param handler empty: the default one
 */
export function whyUnsupported(handlers: readonly RuntimeHandler[], handler: string): string | undefined {
  const found = handlers.find(({ name }) => name === handler);
  if (found?.features?.userNamespaces) return undefined;
  const who = handler === "" ? "runtime" : `RuntimeClass handler "${handler}"`;
  const message = `can't set \`spec.hostUsers: false\`, ${who} does not support user namespaces`;
  return found || handlers.length === 0 ? message : `${message}: the handler "${handler}" is not known`;
}
