import { expect, test } from "vitest";
import type { KubeObject } from "../../../shared/api/object.ts";
import { strategyFor } from "./index.ts";

const object = (fields: object): KubeObject => ({ apiVersion: "v1", kind: "X", metadata: { name: "x" }, ...fields });
const PEM = btoa("-----BEGIN X-----\nAAAA\n-----END X-----\n");
const tls = (data: Record<string, string>) => object({ type: "kubernetes.io/tls", data });

test.each([
  {
    name: "a certificate that is no PEM",
    resource: "secrets",
    of: tls({ "tls.crt": "eA==", "tls.key": PEM }),
    want: ["tls: failed to find any PEM data in certificate input"],
  },
  {
    name: "a key that is no PEM",
    resource: "secrets",
    of: tls({ "tls.crt": PEM, "tls.key": "eA==" }),
    want: ["tls: failed to find any PEM data in key input"],
  },
  { name: "a pair that may fit", resource: "secrets", of: tls({ "tls.crt": PEM, "tls.key": PEM }), want: [] },
  {
    name: "sources without a driver",
    resource: "persistentvolumes",
    of: object({ spec: { storageos: {}, persistentVolumeReclaimPolicy: "Recycle" } }),
    want: [
      expect.stringContaining("The Recycle reclaim policy is deprecated"),
      "spec.storageOS: deprecated in v1.22, non-functional in v1.25+",
    ],
  },
])("$name", ({ resource, of, want }) => expect(strategyFor({ group: "", resource }).warnings?.(of)).toEqual(want));

test("a scaling tolerance is not negative", () => {
  const { validate } = strategyFor({ group: "autoscaling", resource: "horizontalpodautoscalers" });
  const policies = [{ type: "Pods", value: 1, periodSeconds: 1 }];
  const causes = validate?.(
    object({ spec: { maxReplicas: 2, behavior: { scaleDown: { policies, tolerance: "-1" } } } }),
  );
  expect(causes?.map(({ field, message }) => `${field}: ${message}`)).toContain(
    'spec.behavior.scaleDown.tolerance: Invalid value: "-1": must be greater than or equal to 0',
  );
});
