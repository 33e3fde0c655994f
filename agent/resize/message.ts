import type { Container, Pod } from "../api/index.ts";

/** The text of a resize's event, as upstream prints it: what the pod asks for, as JSON. @param error the last field */
export function renderResizeMessage(prefix: string, pod: Pod, error?: string): string {
  const { initContainers, containers } = pod.spec;
  const summary = {
    ...(initContainers?.length && { initContainers: initContainers.map(summarize) }),
    ...(containers.length > 0 && { containers: containers.map(summarize) }),
    generation: pod.metadata.generation ?? 0,
    ...(error && { error }),
  };
  return `${prefix}: ${JSON.stringify(summary)}`;
}

const summarize = ({ name, resources }: Container) => ({
  name,
  resources: {
    ...(notEmpty(resources?.limits) && { limits: sorted(resources?.limits) }),
    ...(notEmpty(resources?.requests) && { requests: sorted(resources?.requests) }),
  },
});

const notEmpty = (amounts: Record<string, string> | undefined) => Object.keys(amounts ?? {}).length > 0;

const sorted = (amounts: Record<string, string> = {}) =>
  Object.fromEntries(Object.entries(amounts).sort(([a], [b]) => (a < b ? -1 : 1)));
