/**
 * Replaces `$(NAME)` by the variable's value. `$$` is a literal dollar, and an unknown name stays as it is written.
 * @see https://kubernetes.io/docs/tasks/inject-data-application/define-interdependent-environment-variables/
 */
export function expandVariables(text: string, lookup: (name: string) => string | undefined): string {
  return text.replaceAll(/\$(?:\$|\(([^)]*)\))/g, (match, name: string | undefined) => {
    if (name === undefined) return "$";
    return lookup(name) ?? match;
  });
}
