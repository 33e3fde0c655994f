import { GROUPS } from "../../../shared/schema/index.ts";
import { namesOf, type Operation } from "./operations.ts";

const META = "io.k8s.apimachinery.pkg.apis.meta.v1";
const INFO = "io.k8s.apimachinery.pkg.version.Info";
const TYPES = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];

/** Paths that are no resource's, as upstream describes them: with a slash at the end, and a document each in OpenAPI 3. */
interface OtherPath {
  /** Under `/openapi/v3/`. */
  document: string;
  operation: Operation;
}

const read = (
  document: string,
  given: Pick<Operation, "tag" | "id" | "description"> & Partial<Operation>,
): OtherPath => ({
  document,
  operation: { path: `/${document}/`, method: "get", parameters: [], produces: TYPES, consumes: TYPES, ...given },
});

/** Discovery, the version, and what others verify service-account tokens by. */
export function otherPaths(): OtherPath[] {
  const available = "get available API versions";
  const group = GROUPS.flatMap(({ name, versions }) => {
    const root = name === "" ? "api" : `apis/${name}`;
    const list = versions.map((version) => {
      const { tag, idWords } = namesOf(name, version);
      const response = `${META}.APIResourceList`;
      const id = `get${idWords}APIResources`;
      return read(`${root}/${version}`, { tag, id, description: "get available resources", response });
    });
    if (name === "") return list;
    const { tag, idWords } = namesOf(name);
    const response = `${META}.APIGroup`;
    return [
      read(root, { tag, id: `get${idWords}APIGroup`, description: "get information of a group", response }),
      ...list,
    ];
  });
  return [
    read("api", { tag: "core", id: "getCoreAPIVersions", description: available, response: `${META}.APIVersions` }),
    read("apis", { tag: "apis", id: "getAPIVersions", description: available, response: `${META}.APIGroupList` }),
    ...group,
    read("version", {
      tag: "version",
      id: "getCodeVersion",
      description: "get the version information for this server",
      response: INFO,
      produces: ["application/json"],
      consumes: ["application/json"],
    }),
    read(".well-known/openid-configuration", {
      tag: "WellKnown",
      id: "getServiceAccountIssuerOpenIDConfiguration",
      description: "read who issues service-account tokens (OpenID Connect discovery)",
      produces: ["application/json"],
      consumes: undefined,
    }),
    read("openid/v1/jwks", {
      tag: "openid",
      id: "getServiceAccountIssuerOpenIDKeyset",
      description: "read the public keys that service-account tokens are verified by",
      produces: ["application/jwk-set+json"],
      consumes: undefined,
    }),
  ];
}
