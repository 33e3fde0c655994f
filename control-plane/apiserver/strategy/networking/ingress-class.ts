import {
  FIELD_IMMUTABLE,
  fieldForbidden,
  invalidValue,
  notSupported,
  required,
  tooLong,
} from "../../../../shared/api/field-error.ts";
import { checkDns1123Label } from "../../../../shared/api/names.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { IngressClass } from "../../../../shared/api/types.ts";
import { checkDomainPrefixedPath, checkTypedReference } from "../references.ts";
import type { Strategy } from "../strategy.ts";

const MAX_CONTROLLER = 250;

function checkParameters({ spec }: IngressClass): StatusCause[] {
  const parameters = spec?.parameters;
  const path = "spec.parameters";
  if (!parameters) return [];
  const causes = checkTypedReference(parameters, path);
  const { scope, namespace } = parameters;
  if (scope === undefined) return [...causes, required(`${path}.scope`)];
  if (scope !== "Cluster" && scope !== "Namespace") {
    return [...causes, notSupported(`${path}.scope`, scope, ["Cluster", "Namespace"])];
  }
  const field = `${path}.namespace`;
  if (scope === "Cluster") {
    return namespace === undefined
      ? causes
      : [...causes, fieldForbidden(field, "`parameters.scope` is set to 'Cluster'")];
  }
  if (namespace === undefined) return [...causes, required(field, "`parameters.scope` is set to 'Namespace'")];
  return [...causes, ...checkDns1123Label(namespace).map((message) => invalidValue(field, namespace, message))];
}

function validate(ingressClass: IngressClass): StatusCause[] {
  const controller = ingressClass.spec?.controller ?? "";
  const field = "spec.controller";
  return [
    ...(controller.length > MAX_CONTROLLER ? [tooLong(field, MAX_CONTROLLER)] : []),
    ...checkDomainPrefixedPath(controller, field),
    ...checkParameters(ingressClass),
  ];
}

export const INGRESS_CLASS_STRATEGY: Strategy<IngressClass> = {
  checksMetaAgain: true,
  applyDefaults: ({ spec }) => {
    if (spec?.parameters) spec.parameters.scope ??= "Cluster";
  },
  validate,
  validateUpdate: (ingressClass, old) => {
    const controller = ingressClass.spec?.controller ?? "";
    return [
      ...(controller === (old.spec?.controller ?? "")
        ? []
        : [invalidValue("spec.controller", controller, FIELD_IMMUTABLE)]),
      ...validate(ingressClass),
    ];
  },
};
