import { callFunction } from "./functions/index.ts";
import { literalValue } from "./literals.ts";
import { applyOperator, applyUnary } from "./operators.ts";
import { type Node, parseTokens, qualifiedName } from "./syntax.ts";
import { tokensOf } from "./tokens.ts";
import { CelError, type CelKey, CelOptional, type CelValue, keyOf, type Spend, typeName } from "./values.ts";

/** How much evaluating may still do, in steps of about the same size. May be shared by several evaluations. */
export interface CelSteps {
  left: number;
}

type Variables = ReadonlyMap<string, CelValue>;

/** A compiled expression. */
export class CelProgram {
  readonly #node: Node;

  constructor(node: Node) {
    this.#node = node;
  }

  /** @throws CelError what the expression fails with, also when it would take too many steps */
  evaluate(variables: Record<string, CelValue>, steps: CelSteps): CelValue {
    return new Evaluation(steps).value(this.#node, new Map(Object.entries(variables)));
  }
}

/**
 * Compiles an expression of CEL, Kubernetes' functions for quantities and versions among them. Timestamps, durations,
 * messages and types as values are refused by name when they are met.
 * @throws CelError if the expression does not follow the grammar
 */
export function parseExpression(expression: string): CelProgram {
  const { tokens, failures } = tokensOf(expression);
  const parsed = parseTokens(tokens);
  const failure = failures[0] ?? parsed.failures[0];
  if (failure || !parsed.node) throw new CelError(failure?.text ?? "empty expression");
  return new CelProgram(parsed.node);
}

class Evaluation {
  readonly #steps: CelSteps;
  readonly #spend: Spend;

  constructor(steps: CelSteps) {
    this.#steps = steps;
    this.#spend = (count) => {
      this.#steps.left -= count;
      if (!(this.#steps.left >= 0)) throw new CelError("operation cancelled: actual cost limit exceeded");
    };
  }

  value(node: Node, variables: Variables): CelValue {
    this.#spend(1);
    switch (node.op) {
      case "literal":
        this.#spend(node.text.length / 10);
        return literalValue(node.type, node.text);
      case "name":
        return named(node.name, variables);
      case "select":
        return this.#lookUp(this.value(node.of, variables), node.field, node.isOptional);
      case "index":
        return this.#lookUp(this.value(node.of, variables), this.value(node.index, variables), node.isOptional);
      case "list":
        if (node.hasOptional) throw new CelError("optional list items are not supported");
        return node.items.map((item) => this.value(item, variables));
      case "map":
        return this.#map(node, variables);
      case "message":
        throw new CelError(`messages are not supported: ${node.type}`);
      case "unary":
        return applyUnary(node.operator, this.value(node.of, variables));
      case "binary":
        return applyOperator(
          node.operator,
          this.value(node.left, variables),
          this.value(node.right, variables),
          this.#spend,
        );
      case "logic":
        return this.#untilDecided(
          node.operands.map((operand) => () => this.value(operand, variables)),
          node.operator === "||",
        );
      case "choice":
        return this.value(this.#bool(this.value(node.when, variables)) ? node.yes : node.no, variables);
      case "call":
        return this.#call(node, variables);
    }
  }

  #map({ entries, hasOptional }: Node & { op: "map" }, variables: Variables): CelValue {
    if (hasOptional) throw new CelError("optional map entries are not supported");
    const map = new Map<CelKey, CelValue>();
    for (const [keyNode, valueNode] of entries) {
      const key = keyOf(this.value(keyNode, variables));
      if (map.has(key)) throw new CelError(`insert failed: key ${String(key)} already exists`);
      map.set(key, this.value(valueNode, variables));
    }
    return map;
  }

  /** A field, a key or an index; of an optional value too, which gives an optional one. */
  #lookUp(of: CelValue, by: CelValue, isOptional: boolean): CelValue {
    if (of instanceof CelOptional) {
      return of.value === undefined ? of : new CelOptional(find(of.value, by));
    }
    const found = find(of, by);
    if (isOptional) return new CelOptional(found);
    if (found === undefined) {
      throw new CelError(Array.isArray(of) ? `index out of bounds: ${String(by)}` : `no such key: ${String(by)}`);
    }
    return found;
  }

  #bool(value: CelValue): boolean {
    if (typeof value === "boolean") return value;
    throw new CelError(`no such overload: ${typeName(value)} is no bool`);
  }

  /** `||` (true decides) and `&&` (false does): a failure counts only where nothing else decides. */
  #untilDecided(operands: Iterable<() => CelValue>, decisive: boolean): boolean {
    let failure: CelError | undefined;
    for (const operand of operands) {
      try {
        if (this.#bool(operand()) === decisive) return decisive;
      } catch (error) {
        if (!(error instanceof CelError) || this.#steps.left < 0) throw error;
        failure ??= error;
      }
    }
    if (failure) throw failure;
    return !decisive;
  }

  #call(node: Node & { op: "call" }, variables: Variables): CelValue {
    const { name, target, args } = node;
    if (!target && name === "has" && args.length === 1) return this.#has(args[0]!, variables);
    if (target) {
      const space = qualifiedName(target);
      if (space === "cel" && name === "bind" && args.length === 3) {
        return this.value(args[2]!, bind(variables, args[0]!, this.value(args[1]!, variables)));
      }
      if (space === "optional" && !variables.has(space)) {
        return callFunction(`optional.${name}`, this.#values(args, variables), false, this.#spend);
      }
      const macro = this.#macro(node, target, variables);
      if (macro !== undefined) return macro;
      return callFunction(name, this.#values([target, ...args], variables), true, this.#spend);
    }
    return callFunction(name, this.#values(args, variables), false, this.#spend);
  }

  #values = (nodes: Node[], variables: Variables) => nodes.map((node) => this.value(node, variables));

  /** Whether a field is there; what it is a field of must be. */
  #has(node: Node, variables: Variables): boolean {
    if (node.op !== "select") throw new CelError("invalid argument to has() macro");
    const of = this.value(node.of, variables);
    if (of instanceof CelOptional) return of.value !== undefined && find(of.value, node.field) !== undefined;
    return find(of, node.field) !== undefined;
  }

  /** Macros over lists and the keys of maps. Undefined: it is none. */
  #macro({ name, args }: Node & { op: "call" }, target: Node, variables: Variables): CelValue | undefined {
    const isMacro = MACROS.get(name)?.includes(args.length) && args[0]?.op === "name";
    if (!isMacro) return undefined;
    const of = this.value(target, variables);
    const [variable, ...bodies] = args as [Node, ...Node[]];
    const evaluate = (body: Node, item: CelValue) => this.value(body, bind(variables, variable, item));
    if (name === "optMap" || name === "optFlatMap") {
      if (!(of instanceof CelOptional)) throw new CelError(`no such overload: ${name}(${typeName(of)})`);
      if (of.value === undefined) return of;
      const mapped = evaluate(bodies[0]!, of.value);
      return name === "optMap" ? new CelOptional(mapped) : mapped;
    }
    const items = itemsOf(of);
    const holds = (item: CelValue) => this.#bool(evaluate(bodies[0]!, item));
    switch (name) {
      case "all":
      case "exists":
        return this.#untilDecided(
          items.map((item) => () => holds(item)),
          name === "exists",
        );
      case "exists_one":
        return items.filter(holds).length === 1;
      case "filter":
        return items.filter(holds);
      default: // map, with or without a condition
        return (bodies.length === 2 ? items.filter(holds) : items).map((item) => evaluate(bodies.at(-1)!, item));
    }
  }
}

const MACROS: ReadonlyMap<string, number[]> = new Map([
  ["all", [2]],
  ["exists", [2]],
  ["exists_one", [2]],
  ["filter", [2]],
  ["map", [2, 3]],
  ["optMap", [2]],
  ["optFlatMap", [2]],
]);

function named(name: string, variables: Variables): CelValue {
  const value = variables.get(name.replace(/^\./, ""));
  if (value === undefined) throw new CelError(`undeclared reference to '${name}'`);
  return value;
}

function bind(variables: Variables, variable: Node, value: CelValue): Variables {
  if (variable.op !== "name") throw new CelError("argument must be a simple name");
  return new Map(variables).set(variable.name, value);
}

/** Undefined: it is not there. @throws CelError if nothing can be looked up in it */
function find(of: CelValue, by: CelValue): CelValue | undefined {
  if (of instanceof Map) return of.get(keyOf(by));
  if (Array.isArray(of)) {
    const index = keyOf(by);
    if (typeof index !== "bigint") throw new CelError(`unsupported index type: ${typeName(by)}`);
    return index < 0n ? undefined : of[Number(index)];
  }
  throw new CelError(`no such overload: ${typeName(of)} has no fields`);
}

function itemsOf(of: CelValue): CelValue[] {
  if (Array.isArray(of)) return of;
  if (of instanceof Map) return [...of.keys()];
  throw new CelError(`no such overload: ${typeName(of)} is neither list nor map`);
}
