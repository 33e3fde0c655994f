import { RESOURCES } from "../registry.ts";
import { groupDiscoveryMessage } from "./discovery.ts";
import { type Message, messageOf, partialMetadataMessage } from "./message.ts";
import { ProtobufError } from "./reader.ts";

const META = "io.k8s.apimachinery.pkg.apis.meta.v1";

let packages: Map<string, string> | undefined;

/** The Go package that holds a group and version's types, with those of subresources. */
function packageOf(apiVersion: string): string | undefined {
  packages ??= new Map(
    RESOURCES.map(({ group, version, schema }) => [
      group === "" ? version : `${group}/${version}`,
      schema.slice(0, schema.lastIndexOf(".")),
    ]),
  );
  return packages.get(apiVersion);
}

/** The kinds of meta/v1 (DeleteOptions …) are in every group. @throws ProtobufError if there is none */
export function messageOfKind(apiVersion: string, kind: string): Message {
  if (kind === "") throw new ProtobufError(`Object 'Kind' is missing in '${apiVersion}'`);
  if (apiVersion.startsWith("meta.k8s.io/") && kind.startsWith("PartialObjectMetadata")) {
    return partialMetadataMessage(kind.endsWith("List"));
  }
  if (apiVersion === "apidiscovery.k8s.io/v2" && kind === "APIGroupDiscoveryList") return groupDiscoveryMessage();
  const packageName = packageOf(apiVersion);
  const message = (packageName && messageOf(`${packageName}.${kind}`)) || messageOf(`${META}.${kind}`);
  if (message) return message;
  const version = JSON.stringify(apiVersion);
  throw new ProtobufError(
    `no kind ${JSON.stringify(kind)} is registered for version ${version} in scheme "pkg/api/legacyscheme/scheme.go:30"`,
  );
}
