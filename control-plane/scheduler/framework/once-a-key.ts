/** Computes once for each key: groups of pods that are alike stand on many nodes. */
export function once<K extends { key: string }, V>(compute: (of: K) => V): (of: K) => V {
  const known = new Map<string, V>();
  return (of) => {
    const found = known.get(of.key);
    if (found !== undefined) return found;
    const computed = compute(of);
    known.set(of.key, computed);
    return computed;
  };
}
