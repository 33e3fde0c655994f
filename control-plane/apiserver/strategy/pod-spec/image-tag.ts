/**
 * Whether an image reference means the tag `latest` (by name, or because it has neither tag nor digest): such images are
 * pulled always by default. A reference that cannot be parsed does not.
 */
export function isLatest(image: string): boolean {
  if (image === "" || image.includes("@") || /\s/.test(image)) return false;
  const name = image.slice(image.lastIndexOf("/") + 1);
  const colon = name.indexOf(":");
  if (colon < 0) return /^[a-z0-9]/.test(name) && !/[A-Z]/.test(image.slice(image.indexOf("/") + 1));
  return name.slice(colon + 1) === "latest";
}
