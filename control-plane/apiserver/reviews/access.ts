import { invalidValue } from "../../../shared/api/field-error.ts";
import { invalid, type StatusCause } from "../../../shared/api/status.ts";
import type { UserInfo } from "../attributes.ts";
import { type Access, decide } from "../authz/index.ts";
import { matchNamespace } from "../object-metadata.ts";
import type { Handler, ResourceRequest } from "../resource-request.ts";
import { answerReview, checkMetadata, readReview } from "./review.ts";
import { checkSelectors, printIgnored, type SelectorAttributes } from "./selectors.ts";

interface ResourceAttributes {
  namespace?: string;
  verb?: string;
  group?: string;
  version?: string;
  resource?: string;
  subresource?: string;
  name?: string;
  fieldSelector?: SelectorAttributes;
  labelSelector?: SelectorAttributes;
}

interface Spec {
  resourceAttributes?: ResourceAttributes;
  nonResourceAttributes?: { path?: string; verb?: string };
  user?: string;
  groups?: string[];
  uid?: string;
  extra?: Record<string, string[]>;
}

const GROUP = { group: "authorization.k8s.io", kind: "" };

/** May I? */
export const createSelfSubjectAccessReview: Handler = async (request) => {
  const review = await readReview<Spec>(request);
  const spec = review.spec ?? {};
  refuse([...checkAttributes(spec), ...checkSelectorsOf(spec), ...checkMetadata(review.metadata)]);
  return answerReview(request, review, await statusOf(request, spec, request.context.user));
};

/** May they? */
export const createSubjectAccessReview: Handler = async (request) => {
  const review = await readReview<Spec>(request);
  const spec = review.spec ?? {};
  refuse([...checkQuestion(spec), ...checkMetadata(review.metadata)]);
  return answerReview(request, review, await statusOf(request, spec, subjectOf(spec)));
};

/** May they, in this namespace? */
export const createLocalSubjectAccessReview: Handler = async (request) => {
  const review = await readReview<Spec>(request);
  const spec = review.spec ?? {};
  matchNamespace(review, request.info.namespace);
  const { namespace, ...metadata } = review.metadata;
  const causes = [...checkQuestion(spec), ...checkMetadata(metadata, review.metadata)];
  const { resourceAttributes, nonResourceAttributes } = spec;
  if (resourceAttributes && resourceAttributes.namespace !== namespace) {
    const found = resourceAttributes.namespace ?? "";
    causes.push(invalidValue("spec.resourceAttributes.namespace", found, "must match metadata.namespace"));
  }
  if (nonResourceAttributes) {
    const printed = printNonResource(nonResourceAttributes);
    causes.push(invalidValue("spec.nonResourceAttributes", printed, "disallowed on this kind of request"));
  }
  refuse(causes);
  return answerReview(request, review, await statusOf(request, spec, subjectOf(spec)));
};

function refuse(causes: StatusCause[]): void {
  if (causes.length > 0) throw invalid(GROUP, "", causes);
}

/** As upstream's internal type has it. */
const printNonResource = ({ path = "", verb = "" }: NonNullable<Spec["nonResourceAttributes"]>) => ({
  Path: path,
  Verb: verb,
});

function checkAttributes({ resourceAttributes, nonResourceAttributes }: Spec): StatusCause[] {
  if (resourceAttributes && nonResourceAttributes) {
    const why = "cannot be specified in combination with resourceAttributes";
    return [invalidValue("spec.nonResourceAttributes", printNonResource(nonResourceAttributes), why)];
  }
  if (resourceAttributes || nonResourceAttributes) return [];
  const why = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
  return [invalidValue("spec.resourceAttributes", null, why)];
}

const checkSelectorsOf = ({ resourceAttributes }: Spec): StatusCause[] =>
  checkSelectors(resourceAttributes ?? {}, "spec.resourceAttributes");

/** A question about somebody else. */
function checkQuestion(spec: Spec): StatusCause[] {
  const { user = "", groups = [] } = spec;
  const subject =
    user !== "" || groups.length > 0
      ? []
      : [invalidValue("spec.user", user, "at least one of user or group must be specified")];
  return [...checkAttributes(spec), ...subject, ...checkSelectorsOf(spec)];
}

const subjectOf = ({ user = "", groups = [], uid, extra }: Spec): UserInfo => ({
  username: user,
  groups,
  ...(uid ? { uid } : {}),
  ...(extra ? { extra } : {}),
});

async function statusOf({ context }: ResourceRequest, spec: Spec, user: UserInfo): Promise<object> {
  const { allowed, reason } = await decide(accessOf(spec, user), context);
  const evaluationError = printIgnored(spec.resourceAttributes ?? {});
  return {
    allowed,
    ...(reason === "" ? {} : { reason }),
    ...(evaluationError === "" ? {} : { evaluationError }),
  };
}

function accessOf({ resourceAttributes, nonResourceAttributes }: Spec, user: UserInfo): Access {
  const { namespace = "", verb = "", group = "", version = "", resource = "" } = resourceAttributes ?? {};
  const { subresource = "", name = "", fieldSelector } = resourceAttributes ?? {};
  return {
    user,
    isResource: resourceAttributes !== undefined,
    verb: nonResourceAttributes?.verb ?? verb,
    path: nonResourceAttributes?.path ?? "",
    namespace,
    group,
    version,
    resource,
    subresource,
    name,
    ...(fieldSelector ? { fieldSelector: printFieldSelector(fieldSelector) } : {}),
  };
}

/** Selectors arrive as text or as requirements; only those that pin one value matter here. */
function printFieldSelector({ rawSelector, requirements = [] }: NonNullable<ResourceAttributes["fieldSelector"]>) {
  if (rawSelector) return rawSelector;
  return requirements
    .filter(({ operator, values = [] }) => operator === "In" && values.length === 1)
    .map(({ key, values = [] }) => `${key}=${values[0]}`)
    .join(",");
}
