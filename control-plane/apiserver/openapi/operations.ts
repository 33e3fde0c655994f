import type { ResourceFacts, SubresourceFacts, Verb } from "../../../shared/schema/index.ts";
import { returnsDeletedObject } from "../write-rules.ts";
import { definitionOf, type GroupVersionKind } from "./kinds.ts";
import type { Parameter } from "./parameters.ts";
import * as parameters from "./parameters.ts";

/** One HTTP method of one path, in neither dialect yet. */
export interface Operation {
  path: string;
  method: "get" | "post" | "put" | "patch" | "delete" | "head" | "options";
  /** `x-kubernetes-action`. */
  action?: Action;
  id: string;
  tag: string;
  description: string;
  /** None, as there is no action, for what is no resource. */
  kind?: GroupVersionKind;
  parameters: Parameter[];
  /** Definition of the request's body; `patch` bodies have their own content types. */
  body?: string;
  /** Definition of the response; undefined: a text. */
  response?: string;
  /** Media types, where they are not those of the action. */
  produces?: string[];
  consumes?: string[];
}

type Action =
  | "list"
  | "get"
  | "post"
  | "put"
  | "patch"
  | "delete"
  | "deletecollection"
  | "connect"
  | "watch"
  | "watchlist";

const META = "io.k8s.apimachinery.pkg.apis.meta.v1";
/** How a proxy's methods come in. */
const PROXY_METHODS = ["delete", "get", "head", "options", "patch", "post", "put"] as const;

/** `Core`, `Apps`, `RbacAuthorization`: the group's part of an operation's id. */
function groupWords(group: string): string[] {
  return group === "" ? ["core"] : group.replace(/\.k8s\.io$/, "").split(".");
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** `core_v1` and `CoreV1`, `rbacAuthorization_v1` and `RbacAuthorizationV1`: what ids and tags of a group version begin with. */
export function namesOf(group: string, version?: string): { tag: string; idWords: string } {
  const words = groupWords(group);
  const joined = words.map((word, i) => (i === 0 ? word : capital(word))).join("");
  const idWords = words.map(capital).join("");
  return version === undefined
    ? { tag: joined, idWords }
    : { tag: `${joined}_${version}`, idWords: idWords + capital(version) };
}

/** Every operation of a resource and its subresources. */
export function operationsOf(facts: ResourceFacts): Operation[] {
  return [...new ResourceOperations(facts).all()];
}

class ResourceOperations {
  readonly #facts: ResourceFacts;
  readonly #root: string;
  readonly #tag: string;
  /** `CoreV1`. */
  readonly #version: string;
  /** `NamespacedPod`. */
  readonly #name: string;
  readonly #collection: string;
  readonly #item: string;

  constructor(facts: ResourceFacts) {
    const { group, version, namespaced, resource, kind } = facts;
    const { tag, idWords } = namesOf(group, version);
    this.#facts = facts;
    this.#root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
    this.#tag = tag;
    this.#version = idWords;
    this.#name = `${namespaced ? "Namespaced" : ""}${kind}`;
    this.#collection = `${this.#root}${namespaced ? "/namespaces/{namespace}" : ""}/${resource}`;
    // The namespace is named by the object itself there.
    this.#item = `${this.#collection}/{name}`;
  }

  *all(): Iterable<Operation> {
    const verbs = new Set(this.#facts.verbs);
    yield* this.#collectionOperations(verbs);
    yield* this.#itemOperations(verbs);
    for (const subresource of this.#facts.subresources) yield* this.#subresourceOperations(subresource);
    if (verbs.has("watch")) yield* this.#watches();
  }

  /** The deprecated paths, beside every list and every object. */
  *#watches(): Iterable<Operation> {
    const { kind, namespaced, resource } = this.#facts;
    const watched = (path: string) => `${this.#root}/watch${path.slice(this.#root.length)}`;
    const instead = "deprecated: use the 'watch' parameter with a list operation instead";
    const watch = { method: "get", verb: "watch", query: parameters.LIST, response: `${META}.WatchEvent` } as const;
    const changes = `watch individual changes to a list of ${kind}. ${instead}.`;
    const list = { ...watch, action: "watchlist", description: changes } as const;
    if (namespaced) {
      const id = `watch${this.#version}${kind}ListForAllNamespaces`;
      yield this.#make({ ...list, path: watched(`${this.#root}/${resource}`), id });
    }
    yield this.#make({ ...list, path: watched(this.#collection), suffix: "List" });
    const description = `watch changes to an object of kind ${kind}. ${instead}, filtered to a single item with the 'fieldSelector' parameter.`;
    yield this.#make({ ...watch, action: "watch", path: watched(this.#item), description });
  }

  *#collectionOperations(verbs: Set<Verb>): Iterable<Operation> {
    const { kind, namespaced, resource, schema } = this.#facts;
    const path = this.#collection;
    const list = { action: "list", method: "get", query: parameters.LIST, response: `${schema}List` } as const;
    const described = `list ${verbs.has("watch") ? "or watch " : ""}objects of kind ${kind}`;
    if (verbs.has("list")) yield this.#make({ ...list, path, verb: "list", description: described });
    if (verbs.has("list") && namespaced) {
      const id = `list${this.#version}${kind}ForAllNamespaces`;
      yield this.#make({ ...list, path: `${this.#root}/${resource}`, verb: "list", id, description: described });
    }
    if (verbs.has("create")) {
      const description = `create ${article(kind)}`;
      const query = parameters.WRITE;
      yield this.#make({ path, method: "post", action: "post", verb: "create", description, query, body: schema });
    }
    if (verbs.has("deletecollection")) {
      const description = `delete collection of ${kind}`;
      const query = parameters.DELETE_COLLECTION;
      const bodies = { body: `${META}.DeleteOptions`, response: `${META}.Status` };
      const id = `delete${this.#version}Collection${this.#name}`;
      yield this.#make({
        path,
        method: "delete",
        action: "deletecollection",
        verb: "delete",
        id,
        description,
        query,
        ...bodies,
      });
    }
  }

  *#itemOperations(verbs: Set<Verb>): Iterable<Operation> {
    const { kind, schema } = this.#facts;
    const path = this.#item;
    if (verbs.has("get")) yield this.#make({ ...READ, path, description: `read the specified ${kind}` });
    if (verbs.has("update"))
      yield this.#make({ ...REPLACE, path, description: `replace the specified ${kind}`, body: schema });
    if (verbs.has("patch"))
      yield this.#make({ ...MODIFY, path, description: `partially update the specified ${kind}` });
    if (verbs.has("delete")) {
      // A namespace answers with itself, but is described as if it did not.
      const returnsObject = returnsDeletedObject(this.#facts) && kind !== "Namespace";
      const bodies = { body: `${META}.DeleteOptions`, response: returnsObject ? schema : `${META}.Status` };
      const query = parameters.DELETE;
      const description = `delete ${article(kind)}`;
      yield this.#make({ path, method: "delete", action: "delete", verb: "delete", description, query, ...bodies });
    }
  }

  *#subresourceOperations(subresource: SubresourceFacts): Iterable<Operation> {
    const { name, verbs } = subresource;
    if (subresource.kind.endsWith("Options")) {
      yield* this.#connections(subresource);
      return;
    }
    const kind = this.#subresourceKind(subresource);
    const schema = name === "log" ? undefined : (definitionOf(kind) ?? this.#facts.schema);
    const common = { path: `${this.#item}/${name}`, suffix: capitalWords(name), kind, response: schema };
    const what = `${name} of the specified ${this.#facts.kind}`;
    const query = parameters.SUBRESOURCE_QUERY[name] ?? [];
    for (const verb of verbs) {
      if (verb === "get") yield this.#make({ ...READ, ...common, query, description: `read ${what}` });
      if (verb === "update") yield this.#make({ ...REPLACE, ...common, description: `replace ${what}`, body: schema });
      if (verb === "patch") yield this.#make({ ...MODIFY, ...common, description: `partially update ${what}` });
      if (verb === "create") {
        const description = `create ${name} of ${article(this.#facts.kind)}`;
        const query = parameters.WRITE;
        yield this.#make({
          ...common,
          method: "post",
          action: "post",
          verb: "create",
          description,
          query,
          body: schema,
        });
      }
    }
  }

  #subresourceKind({ kind, group, version }: SubresourceFacts): GroupVersionKind {
    return { group: group ?? this.#facts.group, version: version ?? this.#facts.version, kind };
  }

  *#connections(subresource: SubresourceFacts): Iterable<Operation> {
    const { name } = subresource;
    const kind = this.#subresourceKind(subresource);
    const query = parameters.SUBRESOURCE_QUERY[name] ?? [];
    const paths = [{ path: `${this.#item}/${name}`, suffix: capitalWords(name), more: [] as Parameter[] }];
    if (name === "proxy") {
      paths.push({
        path: `${this.#item}/${name}/{path}`,
        suffix: `${capitalWords(name)}WithPath`,
        more: [parameters.PROXY_PATH],
      });
    }
    for (const { path, suffix, more } of paths) {
      for (const method of name === "proxy" ? PROXY_METHODS : (["get", "post"] as const)) {
        const description = `connect ${method.toUpperCase()} requests to ${name} of ${this.#facts.kind}`;
        const id = `connect${this.#version}${capital(method)}${this.#name}${suffix}`;
        const operation = this.#make({
          path,
          method,
          action: "connect",
          verb: "connect",
          id,
          description,
          kind,
          query,
        });
        yield { ...operation, parameters: [...operation.parameters, ...more], response: undefined };
      }
    }
  }

  #make(given: Given): Operation {
    const { path, method, action, verb, id, suffix = "", description, kind, query = [], body } = given;
    const { group, version } = this.#facts;
    const common = [
      ...(path.includes("{name}") ? [parameters.nameOf(this.#facts.kind)] : []),
      ...(path.includes("{namespace}") ? [parameters.NAMESPACE] : []),
      ...(action === "connect" ? [] : [parameters.PRETTY]),
    ];
    return {
      path,
      method,
      action,
      id: id ?? `${verb}${this.#version}${this.#name}${suffix}`,
      tag: this.#tag,
      description,
      kind: kind ?? { group, version, kind: this.#facts.kind },
      parameters: [...common, ...query],
      ...(body ? { body } : {}),
      response: "response" in given ? given.response : this.#facts.schema,
    };
  }
}

type Given = Pick<Operation, "path" | "method" | "description" | "body"> & { action: Action } & Partial<
    Pick<Operation, "id" | "kind" | "response">
  > & { verb: string; suffix?: string; query?: Parameter[] };

const READ = { method: "get", action: "get", verb: "read" } as const;
const REPLACE = { method: "put", action: "put", verb: "replace", query: parameters.WRITE } as const;
const MODIFY = {
  method: "patch",
  action: "patch",
  verb: "patch",
  query: parameters.PATCH,
  body: `${META}.Patch`,
} as const;

const article = (kind: string) => `${/^[AEIOU]/.test(kind) ? "an" : "a"} ${kind}`;

/** `ephemeralcontainers` is two words in ids. */
const capitalWords = (name: string) => (name === "ephemeralcontainers" ? "Ephemeralcontainers" : capital(name));
