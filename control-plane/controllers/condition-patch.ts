/**
 * The part of a strategic merge patch that sets some conditions by type: those there keep their places, new ones come
 * last. (Without the order, new ones would come first.)
 */
export function conditionsPatch<C extends { type: string }>(
  current: readonly { type: string }[] | undefined,
  changed: C[],
): Record<string, unknown> {
  const types = new Set([...(current ?? []), ...changed].map(({ type }) => type));
  return { conditions: changed, "$setElementOrder/conditions": [...types].map((type) => ({ type })) };
}
