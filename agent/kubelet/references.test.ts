import { expect, it } from "vitest";
import { aContainer, aPod } from "../../test/builders/kubelet.ts";
import type { Pod } from "../api/index.ts";
import { podReferences } from "./references.ts";

const spec = (fields: object) => aPod(fields as Partial<Pod["spec"]>);
const withEnv = (fields: object) => spec({ containers: [aContainer("main", fields)] });

it.each([
  { name: "nothing", pod: aPod(), want: [] },
  { name: "envFrom", pod: withEnv({ envFrom: [{ secretRef: { name: "s" } }] }), want: ["secrets_default_s"] },
  {
    name: "a variable",
    pod: withEnv({ env: [{ name: "A", valueFrom: { configMapKeyRef: { name: "c", key: "k" } } }] }),
    want: ["configmaps_default_c"],
  },
  { name: "a pull secret", pod: spec({ imagePullSecrets: [{ name: "p" }] }), want: ["secrets_default_p"] },
  {
    name: "volumes, also projected ones",
    pod: spec({
      volumes: [
        { name: "a", secret: { secretName: "s" } },
        { name: "b", projected: { sources: [{ configMap: { name: "c" } }, { secret: { name: "t" } }] } },
        { name: "d", emptyDir: {} },
      ],
    }),
    want: ["secrets_default_s", "configmaps_default_c", "secrets_default_t"],
  },
])("$name", ({ pod, want }) => expect([...podReferences(pod)]).toEqual(want));
