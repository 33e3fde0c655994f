import type { KubeObject } from "../../../../shared/api/object.ts";
import { type AdmissionPlugin, specOf, targetOf } from "../plugin.ts";

/** How long a pod stays on a node that is not ready or not heard of, unless it says otherwise. */
const TOLERATION_SECONDS = 300;
const TAINTS = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];

interface Toleration {
  key?: string;
  operator?: string;
  effect?: string;
  tolerationSeconds?: number;
}

/** Gives pods the two NoExecute tolerations of 300 seconds, each where the pod has none for that taint. */
export const defaultTolerationSeconds: AdmissionPlugin = {
  name: "DefaultTolerationSeconds",

  admit({ operation, attributes, object }) {
    if (operation === "DELETE" || targetOf(attributes) !== "pods") return;
    addTolerations(object!);
  },
};

export function addTolerations(pod: KubeObject): void {
  const spec = specOf(pod) as { tolerations?: Toleration[] };
  const tolerations = spec.tolerations ?? [];
  const missing = TAINTS.filter((taint) => !tolerations.some((toleration) => tolerates(toleration, taint)));
  if (missing.length === 0) return;
  spec.tolerations = [
    ...tolerations,
    ...missing.map((key) => ({
      key,
      operator: "Exists",
      effect: "NoExecute",
      tolerationSeconds: TOLERATION_SECONDS,
    })),
  ];
}

/** No key and no effect stand for all. */
const tolerates = ({ key = "", effect = "" }: Toleration, taint: string): boolean =>
  (key === taint || key === "") && (effect === "NoExecute" || effect === "");
