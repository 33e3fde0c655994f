/**
 * Whether an image reference means the tag `latest` (by name, or because it has neither tag nor digest): such images are
 * pulled always by default. A reference that cannot be parsed does not.
 */
export function isLatest(image: string): boolean {
  if (image === "" || /\s/.test(image)) return false;
  const [reference = "", digest] = image.split("@", 2);
  const name = reference.slice(reference.lastIndexOf("/") + 1);
  const colon = name.indexOf(":");
  if (colon < 0)
    return digest === undefined && /^[a-z0-9]/.test(name) && !/[A-Z]/.test(image.slice(image.indexOf("/") + 1));
  return name.slice(colon + 1) === "latest";
}
