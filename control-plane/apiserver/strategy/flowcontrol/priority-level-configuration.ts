import { fieldForbidden, invalidValue, notSupported, required } from "../../../../shared/api/field-error.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { PriorityLevelConfiguration } from "../../../../shared/api/types.ts";
import { ownMember } from "../../../../shared/own-member.ts";
import { isEqual } from "../equality.ts";
import type { Strategy } from "../strategy.ts";
import { MANDATORY_LEVELS } from "./built-in.ts";
import { checkConditions } from "./flow-schema.ts";

type Spec = NonNullable<PriorityLevelConfiguration["spec"]>;
type Limited = NonNullable<Spec["limited"]>;
type Response = NonNullable<Limited["limitResponse"]>;
type Queuing = NonNullable<Response["queuing"]>;

const TYPES = ["Exempt", "Limited"];
const RESPONSES = ["Queue", "Reject"];
const MAX_QUEUES = 10_000_000;
/** Hands of queues are dealt from one hash of that many bits. */
const MAX_HASH_BITS = 60;

function checkQueuing({ queues = 0, handSize = 0, queueLengthLimit = 0 }: Queuing, path: string): StatusCause[] {
  const causes: StatusCause[] = [];
  if (queueLengthLimit <= 0) {
    causes.push(invalidValue(`${path}.queueLengthLimit`, queueLengthLimit, "must be positive"));
  }
  if (queues <= 0) causes.push(invalidValue(`${path}.queues`, queues, "must be positive"));
  else if (queues > MAX_QUEUES) {
    causes.push(invalidValue(`${path}.queues`, queues, `must not be greater than ${MAX_QUEUES}`));
  }
  const field = `${path}.handSize`;
  if (handSize <= 0) causes.push(invalidValue(field, handSize, "must be positive"));
  else if (handSize > queues) {
    causes.push(invalidValue(field, handSize, `should not be greater than queues (${queues})`));
  } else if (Math.ceil(Math.log2(queues) * handSize) > MAX_HASH_BITS) {
    const why = `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${MAX_HASH_BITS}`;
    causes.push(invalidValue(field, handSize, why));
  }
  return causes;
}

function checkResponse({ type = "", queuing }: Partial<Response>, path: string): StatusCause[] {
  if (!RESPONSES.includes(type)) return [notSupported(`${path}.type`, type, RESPONSES)];
  // The texts name a wrong type: upstream's do.
  const field = `${path}.queuing`;
  if (type === "Queue") {
    if (queuing) return checkQueuing(queuing, field);
    return [required(field, "must not be empty if limited.limitResponse.type is Limited")];
  }
  return queuing ? [fieldForbidden(field, "must be nil if limited.limitResponse.type is not Limited")] : [];
}

function checkShares(shares: number | undefined, field: string): StatusCause[] {
  return (shares ?? 0) < 0 ? [invalidValue(field, shares, "must be a non-negative integer")] : [];
}

const checkLendable = (percent: number | undefined, field: string): StatusCause[] =>
  percent !== undefined && (percent < 0 || percent > 100)
    ? [invalidValue(field, percent, "must be between 0 and 100, inclusive")]
    : [];

function checkLimited(limited: Limited, path: string): StatusCause[] {
  const { borrowingLimitPercent: borrowing } = limited;
  const causes = [
    ...checkShares(limited.nominalConcurrencyShares, `${path}.nominalConcurrencyShares`),
    ...checkResponse(limited.limitResponse ?? {}, `${path}.limitResponse`),
    ...checkLendable(limited.lendablePercent, `${path}.lendablePercent`),
  ];
  if ((borrowing ?? 0) < 0) {
    const why = "if specified, must be a non-negative integer";
    causes.push(invalidValue(`${path}.borrowingLimitPercent`, borrowing, why));
  }
  return causes;
}

function checkSpec(name: string, { type = "", limited, exempt }: Partial<Spec>): StatusCause[] {
  const causes: StatusCause[] = [];
  if ((name === "exempt") !== (type === "Exempt")) {
    causes.push(invalidValue("spec.type", type, "must be 'Exempt' if and only if `name` is 'exempt'"));
  }
  if (type === "Exempt") {
    if (limited) causes.push(fieldForbidden("spec.limited", "must be nil if the type is not Limited"));
    if (exempt) {
      causes.push(
        ...checkShares(exempt.nominalConcurrencyShares, "spec.exempt.nominalConcurrencyShares"),
        ...checkLendable(exempt.lendablePercent, "spec.exempt.lendablePercent"),
      );
    }
  } else if (type === "Limited") {
    if (exempt) causes.push(fieldForbidden("spec.exempt", "must be nil if the type is Limited"));
    if (limited) causes.push(...checkLimited(limited, "spec.limited"));
    else causes.push(required("spec.limited", "must not be empty when type is Limited"));
  } else causes.push(notSupported("spec.type", type, TYPES));
  return causes;
}

/** Of the exempt level a cluster's administrator may tune `exempt` alone. */
function checkMandatory(name: string, spec: Spec | undefined): StatusCause[] {
  const fixed = ownMember(MANDATORY_LEVELS, name);
  if (!fixed) return [];
  const tunable = name === "exempt";
  if (isEqual(tunable ? { ...spec, exempt: fixed.exempt } : spec, fixed)) return [];
  const but = tunable ? " except the 'spec.exempt' field" : "";
  return [invalidValue("spec", spec, `spec of '${name}'${but} must equal the fixed value`)];
}

export const PRIORITY_LEVEL_CONFIGURATION_STRATEGY: Strategy<PriorityLevelConfiguration> = {
  metaKeptFromStatus: "all",
  checksMetaAgain: true,
  applyDefaults: ({ spec }) => {
    const queuing = spec?.limited?.limitResponse?.queuing;
    if (!queuing) return;
    queuing.handSize ||= 8;
    queuing.queues ||= 64;
    queuing.queueLengthLimit ||= 50;
  },
  prepareForCreate: (level) => {
    level.status = {};
  },
  validate: ({ metadata, spec, status }) => [
    ...checkSpec(metadata.name, spec ?? {}),
    ...checkMandatory(metadata.name, spec),
    ...checkConditions(status?.conditions),
  ],
  validateStatusUpdate: ({ status }) => checkConditions(status?.conditions),
};
