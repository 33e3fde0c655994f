import type { PodTemplate } from "../../../../shared/api/types.ts";
import { applyTemplateDefaults } from "../apps/template.ts";
import { isEqual } from "../equality.ts";
import { dropDisabledTemplateFields, validatePodTemplate } from "../pod-spec/index.ts";
import { podWarnings } from "../pod-spec/warnings.ts";
import type { Strategy } from "../strategy.ts";

export const POD_TEMPLATE_STRATEGY: Strategy<PodTemplate> = {
  tracksGeneration: true,
  applyDefaults: ({ template }) => applyTemplateDefaults(template),
  prepareForCreate: ({ template }) => dropDisabledTemplateFields(template),
  prepareForUpdate: ({ template }) => dropDisabledTemplateFields(template),
  validate: ({ template }) => validatePodTemplate(template, "template"),
  warnings: ({ template }, old) =>
    !template || isEqual(template, old?.template) ? [] : podWarnings(template, "template"),
};
