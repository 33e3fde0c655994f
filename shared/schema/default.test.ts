import { describe, expect, it } from "vitest";
import type { JsonObject } from "../api/json.ts";
import { decodeObject } from "./decode.ts";
import { applyDefaults } from "./default.ts";
import { schemaOf } from "./definitions.ts";

function defaulted(schema: string, object: JsonObject): JsonObject {
  const decoded = decodeObject(schema, object, "Strict").object;
  applyDefaults(schema, decoded);
  return decoded;
}

describe("applyDefaults", () => {
  it.each<{ name: string; schema: string; object: JsonObject; want: JsonObject }>([
    {
      name: "a pod",
      schema: "io.k8s.api.core.v1.Pod",
      object: {
        spec: { containers: [{ name: "a", ports: [{ containerPort: 80 }], livenessProbe: { httpGet: { port: 80 } } }] },
      },
      want: {
        spec: {
          dnsPolicy: "ClusterFirst",
          enableServiceLinks: true,
          restartPolicy: "Always",
          schedulerName: "default-scheduler",
          securityContext: {},
          terminationGracePeriodSeconds: 30,
          containers: [
            {
              terminationMessagePath: "/dev/termination-log",
              terminationMessagePolicy: "File",
              ports: [{ containerPort: 80, protocol: "TCP" }],
              livenessProbe: {
                failureThreshold: 3,
                periodSeconds: 10,
                successThreshold: 1,
                timeoutSeconds: 1,
                httpGet: { path: "/", port: 80, scheme: "HTTP" },
              },
            },
          ],
        },
      },
    },
    {
      name: "zero that is a value of its own is left alone",
      schema: "io.k8s.api.apps.v1.Deployment",
      object: { spec: { replicas: 0, revisionHistoryLimit: 0 } },
      want: {
        spec: {
          replicas: 0,
          revisionHistoryLimit: 0,
          progressDeadlineSeconds: 600,
          strategy: { type: "RollingUpdate" },
        },
      },
    },
    {
      name: "zero that is nothing is replaced",
      schema: "io.k8s.api.flowcontrol.v1.FlowSchema",
      object: { spec: { matchingPrecedence: 0 } },
      want: { spec: { matchingPrecedence: 1000 } },
    },
    {
      name: "parts that are not there stay away",
      schema: "io.k8s.api.apps.v1.Deployment",
      object: { spec: { strategy: { type: "Recreate" } } },
      want: { spec: { strategy: { type: "Recreate" } } },
    },
    {
      name: "parts that are there are completed",
      schema: "io.k8s.api.apps.v1.Deployment",
      object: { spec: { strategy: { rollingUpdate: { maxSurge: 1 } } } },
      want: { spec: { strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: "25%" } } } },
    },
    {
      name: "a Job's own defaults",
      schema: "io.k8s.api.batch.v1.Job",
      object: { spec: {} },
      want: { spec: { completionMode: "NonIndexed", suspend: false, manualSelector: false } },
    },
    {
      name: "amounts finer than thousandths are rounded up",
      schema: "io.k8s.api.core.v1.Pod",
      object: {
        spec: { containers: [{ name: "a", resources: { limits: { cpu: "1500u", memory: "1Gi", "x/y": "2n" } } }] },
      },
      want: { spec: { containers: [{ resources: { limits: { cpu: "2m", memory: "1Gi", "x/y": "1m" } } }] } },
    },
    {
      name: "default lists",
      schema: "io.k8s.api.storage.v1.CSIDriver",
      object: { spec: { volumeLifecycleModes: [] } },
      want: { spec: { attachRequired: true, volumeLifecycleModes: ["Persistent"] } },
    },
  ])("$name", ({ schema, object, want }) => expect(defaulted(schema, object)).toMatchObject(want));

  it("does not give a template what only the kind has", () => {
    const cronJob = defaulted("io.k8s.api.batch.v1.CronJob", { spec: { jobTemplate: { spec: {} } } });
    expect(cronJob).toMatchObject({ spec: { concurrencyPolicy: "Allow", jobTemplate: { spec: {} } } });
    expect(JSON.stringify(cronJob)).not.toMatch(/completionMode|enableServiceLinks/);
  });

  it("shares nothing between objects or with the schema", () => {
    const first = defaulted("io.k8s.api.core.v1.Pod", { spec: { containers: [] } });
    ((first.spec as JsonObject).securityContext as JsonObject).runAsUser = 1;
    const second = defaulted("io.k8s.api.core.v1.Pod", { spec: { containers: [] } });
    expect((second.spec as JsonObject).securityContext).toEqual({});
    expect(schemaOf("io.k8s.api.core.v1.PodSpec").properties?.securityContext?.default).toEqual({});
  });

  it("changes nothing the second time", () => {
    const once = defaulted("io.k8s.api.core.v1.Pod", { spec: { containers: [{ name: "a" }] } });
    const twice = structuredClone(once);
    applyDefaults("io.k8s.api.core.v1.Pod", twice);
    expect(twice).toEqual(once);
  });
});
