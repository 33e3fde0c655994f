import {
  duplicate,
  FIELD_IMMUTABLE,
  invalidValue,
  notSupported,
  required,
  tooLong,
} from "../../../../shared/api/field-error.ts";
import { checkQualifiedName } from "../../../../shared/api/names.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { StorageClass, VolumeAttributesClass } from "../../../../shared/api/types.ts";
import { utf8Length } from "../../../../shared/api/utf8.ts";
import { isEqual } from "../equality.ts";
import { printLabels } from "../label-selector.ts";
import type { Strategy } from "../strategy.ts";

const MAX_PARAMETERS = 512;
const MAX_PARAMETERS_BYTES = 256 * 1024;
const RECLAIM_POLICIES = ["Delete", "Retain"];
const BINDING_MODES = ["Immediate", "WaitForFirstConsumer"];

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

function checkTopologies({ allowedTopologies }: StorageClass): StatusCause[] {
  return (allowedTopologies ?? []).flatMap(({ matchLabelExpressions = [] }, i) =>
    matchLabelExpressions.flatMap(({ key, values }, j) => {
      const path = `allowedTopologies[${i}].matchLabelExpressions[${j}]`;
      return [
        ...((values ?? []).length === 0 ? [required(`${path}.values`)] : []),
        ...(values ?? []).flatMap((value, k) =>
          values.indexOf(value) < k ? [duplicate(`${path}.values[${k}]`, value)] : [],
        ),
        ...checkQualifiedName(key).map((message) => invalidValue(`${path}.key`, key, message)),
      ];
    }),
  );
}

function validate(storageClass: StorageClass): StatusCause[] {
  const { provisioner, parameters, reclaimPolicy, volumeBindingMode: mode } = storageClass;
  const causes: StatusCause[] = [];
  if (!provisioner) causes.push(required("provisioner"));
  else {
    const name = provisioner.toLowerCase();
    causes.push(...checkQualifiedName(name).map((message) => invalidValue("provisioner", name, message)));
  }
  causes.push(...checkParameters(parameters, true));
  if (reclaimPolicy && !RECLAIM_POLICIES.includes(reclaimPolicy)) {
    causes.push(notSupported("reclaimPolicy", reclaimPolicy, RECLAIM_POLICIES));
  }
  if (mode === undefined) causes.push(required("volumeBindingMode"));
  else if (!BINDING_MODES.includes(mode)) causes.push(notSupported("volumeBindingMode", mode, BINDING_MODES));
  return [...causes, ...checkTopologies(storageClass)];
}

export const STORAGE_CLASS_STRATEGY: Strategy<StorageClass> = {
  applyDefaults: (storageClass) => {
    storageClass.reclaimPolicy ??= "Delete";
    storageClass.volumeBindingMode ??= "Immediate";
  },
  validate,
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

export const VOLUME_ATTRIBUTES_CLASS_STRATEGY: Strategy<VolumeAttributesClass> = {
  validate: ({ driverName, parameters }) => [
    ...(driverName ? [] : [required("driverName")]),
    ...checkParameters(parameters, false),
  ],
  validateUpdate: ({ driverName, parameters }, old) => [
    ...(driverName === old.driverName ? [] : [invalidValue("driverName", driverName, FIELD_IMMUTABLE)]),
    ...(isEqual(parameters, old.parameters)
      ? []
      : [invalidValue("parameters", printLabels(parameters), FIELD_IMMUTABLE)]),
  ],
};
