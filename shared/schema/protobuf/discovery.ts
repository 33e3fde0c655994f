import { type Field, type Message, makeField, messageOf } from "./message.ts";
import { WireType } from "./reader.ts";

const META = "io.k8s.apimachinery.pkg.apis.meta.v1";

let list: Message | undefined;

/** APIGroupDiscoveryList of apidiscovery.k8s.io/v2, which no document describes. */
export function groupDiscoveryMessage(): Message {
  list ??= makeList();
  return list;
}

function makeList(): Message {
  const kind = message("GroupVersionKind", text("group"), text("version"), text("kind"));
  const responseKind = holding("responseKind", "one", kind);
  const subresource = message(
    "APISubresourceDiscovery",
    text("subresource"),
    responseKind,
    holding("acceptedTypes", "list", kind),
    texts("verbs"),
  );
  const resource = message(
    "APIResourceDiscovery",
    text("resource"),
    responseKind,
    text("scope"),
    text("singularResource"),
    texts("verbs"),
    texts("shortNames"),
    texts("categories"),
    holding("subresources", "list", subresource),
  );
  const version = message(
    "APIVersionDiscovery",
    text("version"),
    holding("resources", "list", resource),
    text("freshness"),
  );
  const group = message("APIGroupDiscovery", metadata("ObjectMeta"), holding("versions", "list", version));
  return message("APIGroupDiscoveryList", metadata("ListMeta"), holding("items", "list", group));
}

/** Fields have the numbers of their places. */
const message = (name: string, ...fields: Field[]): Message => ({
  name,
  packageName: "io.k8s.api.apidiscovery.v2",
  fields: [undefined, ...fields],
});

const text = (name: string) => makeField(name, { type: "string" })!;
const texts = (name: string) => makeField(name, { type: "array", items: { type: "string" } })!;

const holding = (name: string, shape: Field["shape"], held: Message, isByValue = false): Field => ({
  name,
  shape,
  isPointer: false,
  isByValue,
  type: { kind: "message", wireType: WireType.bytes, message: held },
});

const metadata = (of: string) => holding("metadata", "one", messageOf(`${META}.${of}`)!, true);
