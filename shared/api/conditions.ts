/** What has conditions in its status: nodes, pods, most other kinds. */
interface Conditioned {
  status?: { conditions?: { type: string; status: string }[] | null } | null;
}

/** Whether a Node or a Pod says of itself that it is ready. */
export const isReady = ({ status }: Conditioned): boolean =>
  status?.conditions?.some(({ type, status: value }) => type === "Ready" && value === "True") ?? false;
