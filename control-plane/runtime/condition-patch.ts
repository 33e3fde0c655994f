/**
 * The part of a strategic merge patch that sets some conditions by type: those there keep their places, new ones come
 * last. (Without the order, new ones would come first.)
 */
export function conditionsPatch<C extends { type: string }>(
  current: readonly { type: string }[] | undefined,
  changed: C[],
): Record<string, unknown> {
  const types = [...new Set([...(current ?? []), ...changed].map(({ type }) => type))];
  // The server refuses a patch whose elements come in another order than the directive has.
  const conditions = [...changed].sort((a, b) => types.indexOf(a.type) - types.indexOf(b.type));
  return { conditions, "$setElementOrder/conditions": types.map((type) => ({ type })) };
}
