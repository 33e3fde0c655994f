import { invalidValue } from "../../../shared/api/field-error.ts";
import { invalid, type StatusCause } from "../../../shared/api/status.ts";
import type { UserInfo } from "../attributes.ts";
import { type Access, decide } from "../authz/index.ts";
import type { Handler, ResourceRequest } from "../resource-request.ts";
import { answerReview, readReview } from "./review.ts";

interface Requirement {
  key: string;
  operator: string;
  values?: string[];
}

interface ResourceAttributes {
  namespace?: string;
  verb?: string;
  group?: string;
  version?: string;
  resource?: string;
  subresource?: string;
  name?: string;
  fieldSelector?: { rawSelector?: string; requirements?: Requirement[] };
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
  refuse(validateAttributes(spec));
  return answerReview(request, review, await statusOf(request, spec, request.context.user));
};

/** May they? */
export const createSubjectAccessReview: Handler = async (request) => {
  const review = await readReview<Spec>(request);
  const spec = review.spec ?? {};
  refuse([...validateAttributes(spec), ...validateSubject(spec)]);
  return answerReview(request, review, await statusOf(request, spec, subjectOf(spec)));
};

/** May they, in this namespace? */
export const createLocalSubjectAccessReview: Handler = async (request) => {
  const review = await readReview<Spec>(request);
  const spec = review.spec ?? {};
  const causes = [...validateAttributes(spec), ...validateSubject(spec)];
  if (spec.nonResourceAttributes) {
    causes.push({
      reason: "FieldValueForbidden",
      field: "spec.nonResourceAttributes",
      message: "Forbidden: disallowed on this kind of request",
    });
  }
  if (spec.resourceAttributes && spec.resourceAttributes.namespace !== request.info.namespace) {
    causes.push(
      invalidValue(
        "spec.resourceAttributes.namespace",
        spec.resourceAttributes.namespace ?? "",
        "must match metadata.namespace",
      ),
    );
  }
  refuse(causes);
  review.metadata.namespace = request.info.namespace;
  return answerReview(request, review, await statusOf(request, spec, subjectOf(spec)));
};

function refuse(causes: StatusCause[]): void {
  if (causes.length > 0) throw invalid(GROUP, "", causes);
}

function validateAttributes({ resourceAttributes, nonResourceAttributes }: Spec): StatusCause[] {
  if (resourceAttributes && nonResourceAttributes) {
    const { path = "", verb = "" } = nonResourceAttributes;
    return [
      invalidValue(
        "spec.nonResourceAttributes",
        { Path: path, Verb: verb },
        "cannot be specified in combination with resourceAttributes",
      ),
    ];
  }
  if (resourceAttributes || nonResourceAttributes) return [];
  return [
    invalidValue(
      "spec.resourceAttributes",
      null,
      "exactly one of nonResourceAttributes or resourceAttributes must be specified",
    ),
  ];
}

function validateSubject({ user = "", groups = [] }: Spec): StatusCause[] {
  if (user !== "" || groups.length > 0) return [];
  return [invalidValue("spec.user", user, "at least one of user or group must be specified")];
}

const subjectOf = ({ user = "", groups = [], uid, extra }: Spec): UserInfo => ({
  username: user,
  groups,
  ...(uid ? { uid } : {}),
  ...(extra ? { extra } : {}),
});

async function statusOf({ context }: ResourceRequest, spec: Spec, user: UserInfo): Promise<object> {
  const { allowed, reason } = await decide(accessOf(spec, user), context);
  return { allowed, ...(reason === "" ? {} : { reason }) };
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
