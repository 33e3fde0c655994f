import { badRequest } from "../../../shared/api/status.ts";
import { grantsFor, MASTERS, type PolicyRule } from "../authz/index.ts";
import { clusterReader } from "../cluster-reader.ts";
import type { Handler } from "../resource-request.ts";
import { answerReview, readReview } from "./review.ts";

/** All that the caller may do in one namespace, as rules (`kubectl auth can-i --list`). */
export const createSelfSubjectRulesReview: Handler = async (request) => {
  const review = await readReview<{ namespace?: string }>(request);
  const { context } = request;
  if (!review.spec?.namespace) throw badRequest("no namespace on request");
  const rules: PolicyRule[] = [];
  if (context.user.groups.includes(MASTERS)) {
    rules.push({ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }, { verbs: ["*"], nonResourceURLs: ["*"] });
  }
  const reader = clusterReader(context.env, context.cluster);
  for await (const grant of grantsFor(context.user, review.spec.namespace, reader)) rules.push(...grant.rules);
  const resourceRules = rules
    .filter(({ resources = [] }) => resources.length > 0)
    .map(({ verbs, apiGroups, resources, resourceNames }) => ({
      verbs,
      apiGroups,
      resources,
      ...(resourceNames && resourceNames.length > 0 ? { resourceNames } : {}),
    }));
  const nonResourceRules = rules
    .filter(({ nonResourceURLs = [] }) => nonResourceURLs.length > 0)
    .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs }));
  return answerReview(request, { metadata: {}, spec: {} } as never, {
    resourceRules,
    nonResourceRules,
    incomplete: false,
  });
};
