/** What kj-http refuses in a request line, or a URL parser takes for something else; Go's servers take it all. */
const NOT_PLAIN = /["#<>\\^`{|}\x7f-\xff]/g;

/** A request's target as workerd takes it: the same to whoever decodes its escapes. */
export const escapeTarget = (path: string): string =>
  path.replace(NOT_PLAIN, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`);

export const isPlainTarget = (path: string): boolean => /^\/[\x21-\xff]*$/.test(path);
