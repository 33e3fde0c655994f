import { FIELD_IMMUTABLE, fieldForbidden, invalidValue } from "../../../../shared/api/field-error.ts";
import { validateAnnotations, validateLabels } from "../../../../shared/api/object-meta.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { ResourceClaim, ResourceClaimTemplate } from "../../../../shared/api/types.ts";
import { isEqual } from "../equality.ts";
import { renderInternal } from "../internal-form/index.ts";
import type { Strategy } from "../strategy.ts";
import { checkClaimStatus } from "./claim-status.ts";
import { checkClaimSpec, defaultCounts } from "./device-claim.ts";

const checkSpecUnchanged = (spec: unknown, old: unknown, printed: unknown): StatusCause[] =>
  isEqual(spec, old) ? [] : [invalidValue("spec", printed, FIELD_IMMUTABLE)];

/** In the order of upstream's type. */
const META_FIELDS = [
  "name",
  "generateName",
  "namespace",
  "selfLink",
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "labels",
  "annotations",
  "ownerReferences",
  "finalizers",
  "managedFields",
];

/** As upstream's internal type has it: the metadata is part of the spec there. */
const printTemplateSpec = ({ metadata = {}, spec }: Partial<ResourceClaimTemplate["spec"]>) => ({
  ...Object.fromEntries(
    META_FIELDS.flatMap((name) => {
      const value = (metadata as Record<string, unknown>)[name];
      return isEqual(value, undefined) ? [] : [[name, value]];
    }),
  ),
  Spec: renderInternal(spec, "ResourceClaimSpec"),
});

/** A template gives its claims labels and annotations, and nothing else. */
function checkTemplateMeta(metadata: Record<string, unknown>): StatusCause[] {
  const path = "spec.metadata";
  const others = Object.keys(metadata).filter((name) => name !== "labels" && name !== "annotations");
  return [
    ...validateAnnotations(metadata.annotations as Record<string, string> | undefined, `${path}.annotations`),
    ...validateLabels(metadata.labels as Record<string, string> | undefined, `${path}.labels`),
    ...others
      // A period of 0 is one.
      .filter((name) => metadata[name] !== "" && (metadata[name] !== 0 || name === "deletionGracePeriodSeconds"))
      // Upstream lowers the first letter of Go's name.
      .map((name) => fieldForbidden(`${path}.${name === "uid" ? "uID" : name}`, "cannot be set")),
  ];
}

const checkTemplate = ({ spec }: ResourceClaimTemplate): StatusCause[] => [
  ...checkTemplateMeta((spec?.metadata ?? {}) as Record<string, unknown>),
  ...checkClaimSpec(spec?.spec ?? {}, "spec.spec"),
];

export const RESOURCE_CLAIM_STRATEGY: Strategy<ResourceClaim> = {
  metaKeptFromStatus: "all",
  tracksGeneration: false,
  checksMetaAgain: true,
  applyDefaults: ({ spec }) => defaultCounts(spec ?? {}),
  prepareForCreate: (claim) => {
    claim.status = {};
  },
  validate: ({ spec }) => checkClaimSpec(spec ?? {}, "spec"),
  validateUpdate: ({ spec }, old) => checkSpecUnchanged(spec, old.spec, renderInternal(spec, "ResourceClaimSpec")),
  validateStatusUpdate: checkClaimStatus,
};

export const RESOURCE_CLAIM_TEMPLATE_STRATEGY: Strategy<ResourceClaimTemplate> = {
  applyDefaults: ({ spec }) => defaultCounts(spec?.spec ?? {}),
  validate: checkTemplate,
  validateUpdate: (template, old) => [
    ...checkTemplate(template),
    ...checkSpecUnchanged(template.spec, old.spec, printTemplateSpec(template.spec ?? {})),
  ],
};
