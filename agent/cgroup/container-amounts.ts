import type { Container } from "../api/index.ts";

type Parse = (text: string) => number;

/** 0 without one. A request defaults to the limit, as the API server writes it. */
export function requestOf({ resources }: Pick<Container, "resources">, name: string, parse: Parse): number {
  const text = resources?.requests?.[name] ?? resources?.limits?.[name];
  return text === undefined ? 0 : parse(text);
}

/** 0 without one. */
export function limitOf({ resources }: Pick<Container, "resources">, name: string, parse: Parse): number {
  const text = resources?.limits?.[name];
  return text === undefined ? 0 : parse(text);
}
