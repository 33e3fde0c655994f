import { FLOW_SCHEMAS, PRIORITY_LEVEL_CONFIGURATIONS } from "../../../shared/api/refs.ts";
import { isNotFound } from "../../../shared/api/status.ts";
import type { FlowSchema, PriorityLevelConfiguration } from "../../../shared/api/types.ts";
import { type ControllerDefinition, done, printTime } from "../../runtime/index.ts";
import { decide } from "./decide.ts";

/** As upstream's consumer of these objects calls itself. */
const FIELD_MANAGER = "api-priority-and-fairness-config-consumer-v1";

/** Tells in each flow schema's status whether its level is there (KEP-1040). Requests are not queued by them. */
export const flowSchemaController: ControllerDefinition = {
  name: "flow-schema",
  serviceAccount: "flow-schema-controller",
  build({ api, clock, log, informer }) {
    const schemas = informer<FlowSchema>(FLOW_SCHEMAS);
    const levels = informer<PriorityLevelConfiguration>(PRIORITY_LEVEL_CONFIGURATIONS);
    return {
      concurrency: 2,
      start(enqueue) {
        schemas.onEvent(({ type, object }) => {
          if (type !== "deleted") enqueue(object.metadata.name);
        });
        levels.onEvent(({ object }) => {
          for (const { metadata, spec } of schemas.list()) {
            if (spec?.priorityLevelConfiguration?.name === object.metadata.name) enqueue(metadata.name);
          }
        });
      },
      async reconcile(name) {
        const schema = schemas.get(name);
        const condition = schema && decide(schema, (level) => levels.get(level) !== undefined);
        if (!condition) return done;
        log.info("flow-schema plan", { key: name, dangling: condition.status });
        const { type, status, ...why } = condition;
        const dated = { type, status, lastTransitionTime: printTime(clock.nowMs()), ...why };
        const applied = {
          apiVersion: "flowcontrol.apiserver.k8s.io/v1",
          kind: "FlowSchema",
          metadata: { name },
          status: { conditions: [dated] },
        };
        const target = { name, subresource: "status", fieldManager: FIELD_MANAGER, force: true };
        try {
          await api.patch(FLOW_SCHEMAS, target, "apply", applied);
        } catch (error) {
          // Deleted meanwhile.
          if (!isNotFound(error)) throw error;
        }
        return done;
      },
    };
  },
};
