/**
 * Parts of a path as one: cleaned of empty and dot segments (`..` never leads above the root), a slash at the end kept.
 * @param parts the first begins with a slash
 */
export function joinPath(...parts: string[]): string {
  const whole = parts.join("/");
  const kept: string[] = [];
  for (const segment of whole.split("/")) {
    if (segment === "..") kept.pop();
    else if (segment !== "" && segment !== ".") kept.push(segment);
  }
  const joined = `/${kept.join("/")}`;
  return whole.endsWith("/") && joined !== "/" ? `${joined}/` : joined;
}
