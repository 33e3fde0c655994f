import { expect, it } from "vitest";
import { checkTypeMeta } from "./decode.ts";

const DEPLOYMENT = { group: "apps", version: "v1", kind: "Deployment" };
const refusalOf = (apiVersion: string, kind: string) => () => checkTypeMeta({ apiVersion, kind }, DEPLOYMENT, "{}");
const SCHEME = 'in scheme "pkg/api/legacyscheme/scheme.go:30"';

it.each<[apiVersion: string, kind: string, want: string]>([
  [
    "extensions/v1beta1",
    "Deployment",
    "the API version in the data (extensions/v1beta1) does not match the expected API version (apps/v1)",
  ],
  [
    "extensions/v1beta1",
    "Scale",
    'Scale in version "v1beta1" cannot be handled as a Deployment: converting (v1beta1.Scale) to (apps.Deployment): unknown conversion',
  ],
  [
    "extensions/v1beta1",
    "DeploymentList",
    'DeploymentList in version "v1beta1" cannot be handled as a Deployment: converting (v1beta1.DeploymentList) to (apps.Deployment): unknown conversion',
  ],
  [
    "extensions/v1beta1",
    "StatefulSet",
    `StatefulSet in version "v1beta1" cannot be handled as a Deployment: no kind "StatefulSet" is registered for version "extensions/v1beta1" ${SCHEME}`,
  ],
  [
    "foo/v1",
    "Deployment",
    `Deployment in version "v1" cannot be handled as a Deployment: no kind "Deployment" is registered for version "foo/v1" ${SCHEME}`,
  ],
])("refuses a %s %s as a Deployment", (apiVersion, kind, want) => {
  expect(refusalOf(apiVersion, kind)).toThrow(want);
});
