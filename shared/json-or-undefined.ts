/** What a text holds that need not be JSON: cut by a crash, say, or a proxy's page. */
export function jsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
