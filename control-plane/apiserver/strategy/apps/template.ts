import { fieldForbidden, invalidValue, notSupported } from "../../../../shared/api/field-error.ts";
import { checkDns1123Label } from "../../../../shared/api/names.ts";
import { applyPodSpecDefaults } from "../../../../shared/api/pod-defaults.ts";
import { isEmptySelector } from "../../../../shared/api/selector.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { LabelSelector, PodTemplateSpec } from "../../../../shared/api/types.ts";
import { checkLabelSelector, printLabels, printSelector, selectorMatches } from "../label-selector.ts";
import { validatePodTemplate } from "../pod-spec/index.ts";

/** Defaults of a template inside another kind. */
export function applyTemplateDefaults(template: PodTemplateSpec | undefined): void {
  if (template?.spec) applyPodSpecDefaults(template.spec);
}

/** A template whose pods run for ever and that its own selector must find. */
export function checkRunningTemplate(
  template: PodTemplateSpec | undefined,
  path: string,
  {
    selector,
    kind,
    tolerateSelectors,
    takesAnySelector,
  }: {
    selector?: LabelSelector;
    kind: string;
    tolerateSelectors?: boolean;
    /** One that is no valid selector is compared with the labels all the same. */
    takesAnySelector?: boolean;
  },
): StatusCause[] {
  const causes: StatusCause[] = [];
  const labels = template?.metadata?.labels;
  if (!takesAnySelector && checkLabelSelector(selector, "").length > 0) {
    return [invalidValue("spec.selector", printSelector(selector), "invalid label selector")];
  }
  // No selector selects nothing; an empty one everything.
  if ((!selector || !isEmptySelector(selector)) && !selectorMatches(selector, labels ?? {})) {
    causes.push(
      invalidValue(`${path}.metadata.labels`, printLabels(labels), "`selector` does not match template `labels`"),
    );
  }
  causes.push(
    ...validatePodTemplate(template, path, { tolerate: { labelValuesInSelectors: tolerateSelectors } }),
    ...checkRunsForEver(template, path, kind),
  );
  return causes;
}

export function checkRunsForEver(template: PodTemplateSpec | undefined, path: string, kind: string): StatusCause[] {
  const { restartPolicy = "", activeDeadlineSeconds } = template?.spec ?? {};
  const causes =
    restartPolicy === "Always" ? [] : [notSupported(`${path}.spec.restartPolicy`, restartPolicy, ["Always"])];
  if (activeDeadlineSeconds !== undefined) {
    causes.push(
      fieldForbidden(`${path}.spec.activeDeadlineSeconds`, `activeDeadlineSeconds in ${kind} is not Supported`),
    );
  }
  return causes;
}

/** Names of workloads end up in the names of pods, and those in hostnames. */
export function hostnameWarnings(name: string): string[] {
  const messages = checkDns1123Label(name);
  return messages.length === 0
    ? []
    : [
        `metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [${messages.join(" ")}]`,
      ];
}
