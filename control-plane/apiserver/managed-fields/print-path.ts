/** A path as upstream prints it in conflicts and errors: `.spec.containers[name="web"].image`, `.metadata.finalizers[="x"]`. */
export function printPath(path: readonly string[]): string {
  return path.map(printElement).join("");
}

function printElement(element: string): string {
  const text = element.slice(2);
  switch (element[0]) {
    case "f":
      return `.${text}`;
    case "k": {
      const keys = Object.entries(JSON.parse(text) as Record<string, unknown>);
      return `[${keys.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(",")}]`;
    }
    case "v":
      return `[=${text}]`;
    default:
      return `[${text}]`;
  }
}
