import type { Node } from "../../../../shared/cel/syntax.ts";
import type { Failure } from "../../../../shared/cel/tokens.ts";
import { NAMESPACES, RESULTS, TEXT_METHODS, TYPES } from "./functions.ts";

/** As cel-go prints it; undefined: not known here, and so never refused. */
type Type = string | undefined;

/** Where an expression stands decides which variables it may name. */
export interface Scope {
  /** Names that may begin a path. */
  roots: readonly string[];
  /** Fields of `variables`; undefined when there is none. */
  variables?: ReadonlySet<string>;
}

const SCALARS = new Set(["bool", "int", "uint", "double", "string", "bytes", "null", "duration", "timestamp"]);
const NUMBERS = new Set(["int", "uint", "double"]);
const ORDERED = new Set(["bool", "int", "uint", "double", "string", "bytes", "duration", "timestamp"]);
const ADDED = new Set(["int", "uint", "double", "string", "bytes"]);

/** Macros over lists and maps, with how many arguments they take. */
const MACROS = new Map<string, number[]>(
  Object.entries({
    all: [2, 3],
    exists: [2, 3],
    exists_one: [2, 3],
    existsOne: [3],
    map: [2, 3],
    filter: [2],
    transformList: [3, 4],
    transformMap: [3, 4],
    transformMapEntry: [3, 4],
    optMap: [2],
    optFlatMap: [2],
  }),
);
const JUDGING = new Set(["all", "exists", "exists_one", "existsOne"]);

/** The fields of a request. */
const REQUEST: Record<string, Type> = {
  ...{ kind: undefined, resource: undefined, requestKind: undefined, requestResource: undefined },
  ...{ subResource: "string", requestSubResource: "string", name: "string", namespace: "string", operation: "string" },
  ...{ userInfo: undefined, dryRun: "bool", options: "dyn" },
};
const KIND: Record<string, Type> = { group: "string", version: "string", kind: "string" };
const RESOURCE: Record<string, Type> = { group: "string", version: "string", resource: "string" };
const USER: Record<string, Type> = { username: "string", uid: "string", groups: "list(string)", extra: undefined };
/** Those of a request's fields that are structs. */
const PARTS = new Map(
  Object.entries({ kind: KIND, requestKind: KIND, resource: RESOURCE, requestResource: RESOURCE, userInfo: USER }),
);
const NAMESPACE: Record<string, Type> = { metadata: undefined, spec: undefined, status: undefined };
const DEVICE: Record<string, Type> = {
  ...{ driver: "string", attributes: undefined, capacity: undefined, allowMultipleAllocations: "bool" },
};
/** Objects whose kind is not known. */
const DYNAMIC = new Set(["object", "oldObject", "params"]);

/** The type of an expression that follows the grammar, and what is wrong with types and names in it. */
export function typeOf(node: Node, scope: Scope): { type: Type; failures: Failure[] } {
  const checker = new Checker(scope);
  const type = checker.type(node, new Map());
  return { type, failures: checker.failures.sort((a, b) => a.at - b.at) };
}

/** What macros bind. */
type Bound = ReadonlyMap<string, Type>;

class Checker {
  readonly failures: Failure[] = [];
  readonly #scope: Scope;

  constructor(scope: Scope) {
    this.#scope = scope;
  }

  type(node: Node, bound: Bound): Type {
    switch (node.op) {
      case "literal":
        return node.type;
      case "name":
        return this.#name(node.name, node.at, bound);
      case "select":
        return this.#select(node, bound);
      case "call":
        return node.target ? this.#method(node, node.target, bound) : this.#function(node, bound);
      case "index":
        return this.#index(node, bound);
      case "list":
        return this.#list(node.items, bound);
      case "map":
        return this.#map(node.entries, bound);
      case "message":
        return this.#message(node, bound);
      case "unary":
        return this.#unary(node, bound);
      case "binary":
        return this.#binary(node, bound);
      case "logic":
        return this.#logic(node.operands, bound);
      case "choice":
        return this.#choice(node, bound);
    }
  }

  #fail(at: number, text: string): undefined {
    this.failures.push({ at, text });
  }

  #noOverload(at: number, name: string, args: Type[]): undefined {
    return this.#fail(at, `found no matching overload for '${name}' applied to '(${args.join(", ")})'`);
  }

  #undeclared = (name: string, at: number): undefined =>
    this.#fail(at, `undeclared reference to '${name}' (in container '')`);

  #name(name: string, at: number, bound: Bound): Type {
    if (bound.has(name)) return bound.get(name);
    if (DYNAMIC.has(name) && this.#scope.roots.includes(name)) return "dyn";
    if (this.#scope.roots.includes(name) || TYPES.has(name)) return undefined;
    if (name === "variables" && this.#scope.variables) return undefined;
    return this.#undeclared(name, at);
  }

  #index(node: Node & { op: "index" }, bound: Bound): Type {
    this.type(node.index, bound);
    const of = this.type(node.of, bound);
    return node.isOptional ? undefined : itemOf(of);
  }

  #select(node: Node & { op: "select" }, bound: Bound): Type {
    const { variables } = this.#scope;
    if (variables && node.of.op === "name" && node.of.name === "variables" && !bound.has("variables")) {
      return variables.has(node.field) ? undefined : this.#fail(node.at, `undefined field '${node.field}'`);
    }
    const fields = this.#fieldsOf(node.of, bound);
    if (!fields) {
      const of = this.type(node.of, bound);
      return of === "dyn" && !node.isOptional ? "dyn" : undefined;
    }
    if (Object.hasOwn(fields, node.field)) return node.isOptional ? undefined : fields[node.field];
    return this.#fail(node.at, `undefined field '${node.field}'`);
  }

  /** Of a value whose fields are known. */
  #fieldsOf(of: Node, bound: Bound): Record<string, Type> | undefined {
    if (of.op === "select" && this.#isRoot(of.of, "request", bound)) return PARTS.get(of.field);
    if (this.#isRoot(of, "request", bound)) return REQUEST;
    if (this.#isRoot(of, "namespaceObject", bound)) return NAMESPACE;
    if (this.#isRoot(of, "device", bound)) return DEVICE;
    return undefined;
  }

  #isRoot = (node: Node, name: string, bound: Bound): boolean =>
    node.op === "name" && node.name === name && !bound.has(name) && this.#scope.roots.includes(name);

  #function({ name, args, at }: Node & { op: "call" }, bound: Bound): Type {
    const [of] = args;
    if (name === "has" && of && args.length === 1) {
      if (of.op !== "select") return this.#fail(of.at, "invalid argument to has() macro");
      this.type(of, bound);
      return "bool";
    }
    if (name === "has") return this.#undeclared(name, at);
    const types = args.map((arg) => this.type(arg, bound));
    if (!RESULTS.has(name)) return this.#undeclared(name, at);
    if (name === "size" && (types.length === 0 || NUMBERS.has(types[0] ?? "") || types[0] === "bool")) {
      return this.#noOverload(at, name, types);
    }
    return RESULTS.get(name);
  }

  #method(node: Node & { op: "call" }, target: Node, bound: Bound): Type {
    const { name, args, at } = node;
    if (target.op === "name" && NAMESPACES.has(target.name) && !bound.has(target.name)) {
      for (const arg of args) this.type(arg, bound);
      return RESULTS.has(name) ? RESULTS.get(name) : undefined;
    }
    if (name === "bind" && this.#isRoot(target, "cel", bound)) return this.#bind(args, bound);
    if (name === "escapeKey" && this.#isRoot(target, "jsonpatch", bound)) {
      for (const arg of args) this.type(arg, bound);
      return "string";
    }
    const of = this.type(target, bound);
    if (MACROS.get(name)?.includes(args.length) && args[0]?.op === "name") return this.#macro(node, of, bound);
    const types = args.map((arg) => this.type(arg, bound));
    if (!RESULTS.has(name) || MACROS.has(name)) return this.#undeclared(name, at);
    const wanted = TEXT_METHODS.has(name);
    if (wanted && of === "string" && types.length === 1 && types[0] !== "string" && SCALARS.has(types[0] ?? "")) {
      return this.#fail(at, `found no matching overload for '${name}' applied to 'string.(${types[0]})'`);
    }
    return RESULTS.get(name);
  }

  #macro({ name, args }: Node & { op: "call" }, of: Type, bound: Bound): Type {
    const inner = new Map(bound);
    const isPair = name === "existsOne" || (args.length > 2 && name !== "map") || name.startsWith("transform");
    const names = args.slice(0, isPair ? 2 : 1);
    for (const variable of names) {
      if (variable.op !== "name") return undefined;
      inner.set(variable.name, names.length > 1 || name.startsWith("opt") ? undefined : elementOf(of));
    }
    const types = args.slice(names.length).map((arg) => this.type(arg, inner));
    if (JUDGING.has(name)) {
      const [type] = types;
      if (SCALARS.has(type ?? "") && type !== "bool") {
        this.#fail(args[names.length]!.at, `expected type 'bool' but found '${type}'`);
      }
      return "bool";
    }
    if (name === "filter") return of;
    const result = types.at(-1);
    return name === "map" ? compound("list", result) : undefined;
  }

  /** `cel.bind(name, value, expression)`. */
  #bind([variable, value, of]: Node[], bound: Bound): Type {
    if (variable?.op !== "name" || !value || !of) return undefined;
    return this.type(of, new Map(bound).set(variable.name, this.type(value, bound)));
  }

  /** Items of several types are told of, unless some are not known. */
  #list(items: Node[], bound: Bound): Type {
    const types = items.map((item) => this.type(item, bound));
    const [first = "dyn"] = types;
    for (const [i, type] of types.entries()) {
      if (SCALARS.has(first) && type !== first && SCALARS.has(type ?? "")) {
        return this.#fail(items[i]!.at, `expected type '${first}' but found '${type}'`);
      }
    }
    return types.every((type) => type === first) ? compound("list", first) : undefined;
  }

  #map(entries: [Node, Node][], bound: Bound): Type {
    const types = entries.map(([key, value]) => [this.type(key, bound), this.type(value, bound)] as const);
    const [[key, value] = ["dyn", "dyn"]] = types;
    const isUniform = types.every(([k, v]) => k !== undefined && v !== undefined && k === key && v === value);
    return isUniform ? compound("map", key, value) : undefined;
  }

  /** What is in a message of a type that is not known is not looked at. */
  #message({ type, values, at }: Node & { op: "message" }, bound: Bound): Type {
    if (!this.#scope.roots.includes(type.split(".")[0] ?? "")) return this.#undeclared(type, at);
    for (const value of values) this.type(value, bound);
    return undefined;
  }

  #unary({ operator, of, at }: Node & { op: "unary" }, bound: Bound): Type {
    const type = this.type(of, bound);
    const wanted = operator === "!" ? ["bool"] : ["int", "double"];
    if (type !== undefined && SCALARS.has(type) && !wanted.includes(type) && type !== "duration") {
      return this.#noOverload(at, `${operator}_`, [type]);
    }
    return operator === "!" ? "bool" : type;
  }

  #logic(operands: Node[], bound: Bound): Type {
    for (const operand of operands) {
      const type = this.type(operand, bound);
      if (type !== undefined && type !== "bool" && SCALARS.has(type)) {
        this.#fail(operand.at, `expected type 'bool' but found '${type}'`);
      }
    }
    return "bool";
  }

  #binary({ operator, left, right, at }: Node & { op: "binary" }, bound: Bound): Type {
    const a = this.type(left, bound);
    const b = this.type(right, bound);
    const name = operator === "in" ? "@in" : `_${operator}_`;
    if (a !== undefined && b !== undefined && !fits(operator, a, b)) return this.#noOverload(at, name, [a, b]);
    return resultOf(operator, a, b);
  }

  #choice({ when, yes, no, at }: Node & { op: "choice" }, bound: Bound): Type {
    const types = [when, yes, no].map((part) => this.type(part, bound));
    const [condition, a, b] = types;
    const isCondition = condition === "bool" || !SCALARS.has(condition ?? "");
    const isAlike = a === b || !SCALARS.has(a ?? "") || !SCALARS.has(b ?? "");
    if (types.every((type) => type !== undefined) && (!isCondition || !isAlike))
      return this.#noOverload(at, "_?_:_", types);
    if (a === b) return a;
    return isCondition && (a === "dyn" || b === "dyn") ? "dyn" : undefined;
  }
}

/** What is bound to a name can be put into a map twice, and that map bound again: types would double at each step. */
const MAX_TYPE_LENGTH = 1000;

/** A type of others; not known when one of them is not, or when it grows out of all bounds. */
function compound(of: "list" | "map", ...types: Type[]): Type {
  if (types.some((type) => type === undefined || type.length > MAX_TYPE_LENGTH)) return undefined;
  return `${of}(${types.join(", ")})`;
}

const LIST = /^list\((.*)\)$/;

/** What a macro walks over. */
function elementOf(type: Type): Type {
  if (type === "dyn") return "dyn";
  return LIST.exec(type ?? "")?.[1] ?? /^map\((\w+), .*\)$/.exec(type ?? "")?.[1];
}

/** What an index gives. */
function itemOf(type: Type): Type {
  if (type === "dyn") return "dyn";
  return LIST.exec(type ?? "")?.[1] ?? /^map\(\w+, (.*)\)$/.exec(type ?? "")?.[1];
}

const COMPARED = new Set(["<", "<=", ">", ">="]);

/** Whether an operator takes two types; all that is not plain passes. */
function fits(operator: string, a: string, b: string): boolean {
  if (operator === "in") {
    const item = elementOf(b);
    return !SCALARS.has(a) || item === undefined || !SCALARS.has(item) || item === a;
  }
  if (!SCALARS.has(a) || !SCALARS.has(b)) return true;
  if (operator === "==" || operator === "!=") return a === b;
  if (COMPARED.has(operator)) return (a === b && ORDERED.has(a)) || (NUMBERS.has(a) && NUMBERS.has(b));
  const isTime = (type: string) => type === "duration" || type === "timestamp";
  if ((operator === "+" || operator === "-") && isTime(a) && isTime(b)) return true;
  return a === b && (operator === "+" ? ADDED : NUMBERS).has(a);
}

function resultOf(operator: string, a: Type, b: Type): Type {
  if (operator === "in" || operator === "==" || operator === "!=" || COMPARED.has(operator)) return "bool";
  if (a === b) return a === "timestamp" ? undefined : a;
  if (a === "dyn") return ADDED.has(b ?? "") ? b : undefined;
  return b === "dyn" && ADDED.has(a ?? "") ? a : undefined;
}
