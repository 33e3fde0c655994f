import {
  API_SERVICES,
  CUSTOM_RESOURCE_DEFINITIONS,
  HORIZONTAL_POD_AUTOSCALERS,
  PODS,
} from "../../../shared/api/refs.ts";
import type {
  APIService,
  CustomResourceDefinition,
  Pod,
  V2HorizontalPodAutoscaler,
} from "../../../shared/api/types.ts";
import { type ControllerDefinition, done, keyOf } from "../../runtime/index.ts";
import type { History } from "./history.ts";
import { reconcile, selects } from "./reconcile.ts";

/** Between two passes over one autoscaler (upstream's default). */
const SYNC_MS = 15_000;
/** Newest first. */
const CUSTOM_METRICS_VERSIONS = ["v1beta2", "v1beta1"];
const HISTORY_NOTE = "hpa/";

interface Note {
  /** Whose history it is: another one may have its name by now. */
  uid: string;
  history: History;
}

/**
 * Scales workloads by their metrics, autoscaling/v2. Every 15 s for each HorizontalPodAutoscaler; without one, nothing is
 * done. What earlier passes came to is kept in notes: the object sleeps between two passes.
 */
export const horizontalPodAutoscalerController: ControllerDefinition = {
  name: "horizontal-pod-autoscaler",
  serviceAccount: "horizontal-pod-autoscaler",
  build({ api, events, clock, log, informer, notes }) {
    const autoscalers = informer<V2HorizontalPodAutoscaler>(HORIZONTAL_POD_AUTOSCALERS);
    const definitions = informer<CustomResourceDefinition>(CUSTOM_RESOURCE_DEFINITIONS);
    const services = informer<APIService>(API_SERVICES);
    const pods = informer<Pod>(PODS);
    /** The selectors of targets seen, by the autoscaler's key. */
    const selectors = new Map<string, string>();

    return {
      concurrency: 5,
      start(enqueue) {
        autoscalers.onEvent(({ type, object, old }) => {
          const key = keyOf(object);
          if (type !== "deleted" && JSON.stringify(object.spec) !== JSON.stringify(old?.spec)) enqueue(key);
          const isOver = type === "deleted" || (old && old.metadata.uid !== object.metadata.uid);
          if (!isOver) return;
          selectors.delete(key);
          notes.delete(HISTORY_NOTE + key);
        });
      },
      async reconcile(key) {
        const hpa = autoscalers.get(key);
        if (!hpa || hpa.metadata.deletionTimestamp) return done;
        const { uid = "" } = hpa.metadata;
        const note = notes.get<Note>(HISTORY_NOTE + key);
        await reconcile(
          {
            api,
            events,
            clock,
            log,
            definitions: () => definitions.list(),
            source: { read: (path) => api.read(path), customVersion },
            rivals,
            history: {
              get: () => (note?.uid === uid ? note.history : undefined),
              put: (history) => notes.put<Note>(HISTORY_NOTE + key, { uid, history }),
            },
          },
          hpa,
        );
        return { afterMs: SYNC_MS };
      },
    };

    function customVersion(): string | undefined {
      const served = services.list().filter(({ spec }) => spec?.group === "custom.metrics.k8s.io");
      return CUSTOM_METRICS_VERSIONS.find((version) => served.some(({ spec }) => spec?.version === version));
    }

    function rivals(hpa: V2HorizontalPodAutoscaler, selector: string): string[] {
      const own = keyOf(hpa);
      selectors.set(own, selector);
      const { namespace = "" } = hpa.metadata;
      const scaled = pods.list(namespace).filter(({ metadata }) => selects(selector, metadata.labels));
      const found = [...selectors].filter(
        ([key, text]) =>
          autoscalers.get(key)?.metadata.namespace === namespace &&
          scaled.some(({ metadata }) => selects(text, metadata.labels)),
      );
      return found.length > 1 ? found.map(([key]) => key) : [];
    }
  },
};
