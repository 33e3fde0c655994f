import { invalidValue } from "../../../../shared/api/field-error.ts";
import type { DeviceClass } from "../../../../shared/api/types.ts";
import { isExtendedResource } from "../pod-spec/resources.ts";
import type { Strategy } from "../strategy.ts";
import { checkBounded, checkConfiguration, checkSelectors } from "./device-selectors.ts";

const MAX_CONFIGURATIONS = 32;

export const DEVICE_CLASS_STRATEGY: Strategy<DeviceClass> = {
  tracksGeneration: true,
  checksMetaAgain: true,
  validate: ({ spec }) => {
    const name = spec?.extendedResourceName;
    return [
      ...checkSelectors(spec?.selectors, "spec.selectors"),
      ...checkBounded(spec?.config, "spec.config", MAX_CONFIGURATIONS, checkConfiguration),
      ...(name === undefined || isExtendedResource(name)
        ? []
        : [invalidValue("spec.extendedResourceName", name, "must be a valid extended resource name")]),
    ];
  },
};
