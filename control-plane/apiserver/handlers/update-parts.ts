import type { KubeObject } from "../../../shared/api/object.ts";
import type { ResourceFacts } from "../../../shared/schema/index.ts";
import { sameObject } from "../object-text.ts";
import { isEqual } from "../strategy/equality.ts";
import {
  prepareForStatusUpdate,
  type Strategy,
  strategyFor,
  validateForStatusUpdate,
  validateForUpdate,
} from "../strategy/index.ts";
import { hasStatus, tellsEmptyFromAbsent, tracksGeneration } from "../write-rules.ts";
import type { UpdatePart } from "./update-object.ts";

/** The resource itself: its status stays as it is. */
export function mainPart(facts: ResourceFacts): UpdatePart {
  const strategy = strategyFor(facts);
  return {
    prepare(object, old) {
      if (hasStatus(facts)) keepField(object, old, "status");
      strategy.prepareForUpdate?.(object, old);
      bumpGeneration(facts, strategy, object, old);
    },
    allocate: strategy.allocate,
    validate: (object, old) => validateForUpdate(strategy, object, old, facts.namespaced),
    warnings: (object, old) => strategy.warnings?.(object, old) ?? [],
    requiresResourceVersion: strategy.requiresResourceVersion,
  };
}

/** The status subresource: all else stays as it is. */
export function statusPart(facts: ResourceFacts): UpdatePart {
  const strategy = strategyFor(facts);
  return {
    prepare: (object, old) => prepareForStatusUpdate(strategy, object, old, Date.now()),
    validate: (object, old) => validateForStatusUpdate(strategy, object, old, facts.namespaced),
    warnings: (object, old) => strategy.statusWarnings?.(object, old) ?? [],
    requiresResourceVersion: strategy.requiresResourceVersion,
  };
}

export function keepField(object: KubeObject, old: KubeObject, field: string): void {
  if (old[field] === undefined) delete object[field];
  else object[field] = old[field];
}

/** The generation counts changes of what is wanted: everything but metadata and status. */
function bumpGeneration(facts: ResourceFacts, strategy: Strategy, object: KubeObject, old: KubeObject): void {
  if (!tracksGeneration(facts, strategy)) return;
  const isSame = tellsEmptyFromAbsent(facts) ? sameObject : isEqual;
  const bumps = strategy.bumpsGeneration?.(object, old) ?? !isSame(wanted(object), wanted(old));
  if (!bumps) return;
  object.metadata.generation = (old.metadata.generation ?? 0) + 1;
}

function wanted({ apiVersion: _apiVersion, kind: _kind, metadata: _metadata, status: _status, ...rest }: KubeObject) {
  return rest;
}
