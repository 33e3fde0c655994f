/** JSON with sorted keys; null, empty lists and empty maps of labels or annotations count as absent. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (key, member: unknown) => {
    if (member === null) return undefined;
    if (Array.isArray(member)) return member.length === 0 ? undefined : member;
    if (typeof member !== "object") return member;
    const entries = Object.entries(member);
    if (entries.length === 0 && (key === "labels" || key === "annotations" || key === "metadata")) return undefined;
    return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
