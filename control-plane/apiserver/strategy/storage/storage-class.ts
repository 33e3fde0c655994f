import {
  duplicate,
  FIELD_IMMUTABLE,
  fieldForbidden,
  invalidEach,
  invalidValue,
  notSupported,
  required,
  tooLong,
} from "../../../../shared/api/field-error.ts";
import { checkQualifiedName } from "../../../../shared/api/names.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { StorageClass, VolumeAttributesClass } from "../../../../shared/api/types.ts";
import { utf8Length } from "../../../../shared/api/utf8.ts";
import { ownMember } from "../../../../shared/own-member.ts";
import { isEqual } from "../equality.ts";
import { printLabels } from "../label-selector.ts";
import { DEPRECATED_LABELS } from "../pod-spec/warnings.ts";
import type { Strategy } from "../strategy.ts";

const MAX_PARAMETERS = 512;
const MAX_PARAMETERS_BYTES = 256 * 1024;
const RECLAIM_POLICIES = ["Delete", "Retain"];
const BINDING_MODES = ["Immediate", "WaitForFirstConsumer"];

/** The name of a driver, compared without regard to case. */
function checkProvisioner(provisioner: string | undefined, field: string): StatusCause[] {
  if (!provisioner) return [required(field)];
  const name = provisioner.toLowerCase();
  return invalidEach(field, name, checkQualifiedName(name));
}

function checkParameters(parameters: Record<string, string> = {}, allowEmpty: boolean): StatusCause[] {
  const entries = Object.entries(parameters);
  if (entries.length > MAX_PARAMETERS) return [tooLong("parameters", MAX_PARAMETERS)];
  const causes = "" in parameters ? [invalidValue("parameters", "", "field can not be empty.")] : [];
  const bytes = entries.reduce((sum, [key, value]) => sum + utf8Length(key) + utf8Length(value), 0);
  if (bytes > MAX_PARAMETERS_BYTES) causes.push(tooLong("parameters", MAX_PARAMETERS_BYTES));
  if (!allowEmpty && entries.length === 0) {
    causes.push(required("parameters", "must contain at least one key/value pair"));
  }
  return causes;
}

type TopologyRequirement = { key: string; values: string[] };

function checkTopologyTerm(requirements: TopologyRequirement[], path: string): StatusCause[] {
  const keys = new Set<string>();
  return requirements.flatMap(({ key = "", values }, index) => {
    const field = `${path}[${index}]`;
    const all = values ?? [];
    const causes = all.length === 0 ? [required(`${field}.values`)] : [];
    for (const [k, value] of all.entries()) {
      if (all.indexOf(value) < k) causes.push(duplicate(`${field}.values[${k}]`, value));
    }
    causes.push(...invalidEach(`${field}.key`, key, checkQualifiedName(key)));
    if (keys.has(key)) causes.push(duplicate(`${field}.key`, key));
    keys.add(key);
    return causes;
  });
}

/** What a term selects, whatever the order: of a key that comes twice the last counts. */
function printTerm(requirements: TopologyRequirement[]): string {
  const byKey = new Map(requirements.map(({ key, values }) => [key, [...new Set(values ?? [])].sort()]));
  return JSON.stringify([...byKey].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function checkTopologies({ allowedTopologies }: StorageClass): StatusCause[] {
  const terms = allowedTopologies ?? [];
  // Upstream begins with as many empty terms as there are terms: an empty one is a duplicate of each.
  const seen = terms.map(() => printTerm([]));
  return terms.flatMap(({ matchLabelExpressions }, index) => {
    const path = `allowedTopologies[${index}].matchLabelExpressions`;
    const requirements = matchLabelExpressions ?? [];
    const causes = checkTopologyTerm(requirements, path);
    const term = printTerm(requirements);
    causes.push(...seen.filter((other) => other === term).map(() => duplicate(path, "")));
    seen.push(term);
    return causes;
  });
}

function validate(storageClass: StorageClass): StatusCause[] {
  const { provisioner, parameters, reclaimPolicy, volumeBindingMode: mode } = storageClass;
  const causes = [...checkProvisioner(provisioner, "provisioner"), ...checkParameters(parameters, true)];
  if (reclaimPolicy && !RECLAIM_POLICIES.includes(reclaimPolicy)) {
    causes.push(notSupported("reclaimPolicy", reclaimPolicy, RECLAIM_POLICIES));
  }
  if (mode === undefined) causes.push(required("volumeBindingMode"));
  else if (!BINDING_MODES.includes(mode)) causes.push(notSupported("volumeBindingMode", mode, BINDING_MODES));
  return [...causes, ...checkTopologies(storageClass)];
}

export const STORAGE_CLASS_STRATEGY: Strategy<StorageClass> = {
  checksMetaAgain: true,
  applyDefaults: (storageClass) => {
    storageClass.reclaimPolicy ??= "Delete";
    storageClass.volumeBindingMode ??= "Immediate";
  },
  validate,
  warnings: ({ allowedTopologies }) =>
    (allowedTopologies ?? []).flatMap(({ matchLabelExpressions }, i) =>
      (matchLabelExpressions ?? []).flatMap(({ key }, j) => {
        const text = ownMember(DEPRECATED_LABELS, key);
        return text ? [`allowedTopologies[${i}].matchLabelExpressions[${j}].key: ${text}`] : [];
      }),
    ),
  validateUpdate: (storageClass, old) => [
    ...validate(storageClass),
    ...(isEqual(storageClass.parameters, old.parameters)
      ? []
      : [invalidValue("parameters", printLabels(storageClass.parameters), FIELD_IMMUTABLE)]),
    ...(["provisioner", "reclaimPolicy", "volumeBindingMode"] as const).flatMap((name) =>
      storageClass[name] === old[name] ? [] : [invalidValue(name, storageClass[name], FIELD_IMMUTABLE)],
    ),
  ],
};

const checkAttributesClass = ({ driverName, parameters }: VolumeAttributesClass): StatusCause[] => [
  ...checkProvisioner(driverName, "driverName"),
  ...checkParameters(parameters, false),
];

export const VOLUME_ATTRIBUTES_CLASS_STRATEGY: Strategy<VolumeAttributesClass> = {
  checksMetaAgain: true,
  validate: checkAttributesClass,
  validateUpdate: (attributesClass, old) => [
    ...(attributesClass.driverName === old.driverName
      ? []
      : [fieldForbidden("driverName", "updates to driverName are forbidden.")]),
    ...(isEqual(attributesClass.parameters, old.parameters)
      ? []
      : [fieldForbidden("parameters", "updates to parameters are forbidden.")]),
    ...checkAttributesClass(attributesClass),
  ],
};
