/** A member of a status that stays away while it is 0, as Go leaves it out. */
export function nonZero<K extends string>(name: K, value: number): Partial<Record<K, number>> {
  return value === 0 ? {} : ({ [name]: value } as Record<K, number>);
}
