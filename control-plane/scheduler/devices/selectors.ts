import {
  CelDefaultMap,
  CelError,
  type CelProgram,
  CelQuantity,
  type CelSteps,
  type CelValue,
  parseExpression,
  semverOf,
} from "../../../shared/cel/index.ts";
import { messageOf } from "../../../shared/message-of.ts";
import type { Device } from "./devices.ts";

/** What one expression may take for one device, in our evaluator's steps (upstream CELSelectorExpressionMaxCost): a tenth of a second. */
const MAX_STEPS = 100_000;

interface Selector {
  cel?: { expression: string };
}

/** A device attribute: one of its fields is set. */
interface Attribute {
  int?: number;
  bool?: boolean;
  string?: string;
  version?: string;
}

/**
 * Selectors of classes and requests for the length of one scheduling cycle: an expression is compiled once, and asked
 * once for each device.
 */
export class DeviceSelectors {
  /** Left for all expressions of the cycle. */
  readonly #steps: CelSteps;
  readonly #programs = new Map<string, CelProgram>();
  readonly #variables = new Map<Device, CelValue>();
  readonly #answers = new Map<string, Map<Device, boolean>>();

  constructor(steps: CelSteps) {
    this.#steps = steps;
  }

  /**
   * Whether all selectors take the device.
   * @param of begins the message of a failure: whose they are
   * @throws Error in upstream's words for an expression that fails
   */
  match(selectors: readonly Selector[] | undefined, driver: string, device: Device, of: string): boolean {
    return (selectors ?? []).every(({ cel }, i) => {
      if (!cel) throw new Error(`${of}: selector #${i}: CEL expression empty (unsupported selector type?)`);
      return this.#answer(cel.expression, driver, device, `${of}: selector #${i}`);
    });
  }

  #answer(expression: string, driver: string, device: Device, of: string): boolean {
    const answers = this.#answers.get(expression) ?? new Map<Device, boolean>();
    this.#answers.set(expression, answers);
    const answer = answers.get(device) ?? this.#evaluate(expression, driver, device, of);
    answers.set(device, answer);
    return answer;
  }

  #evaluate(expression: string, driver: string, device: Device, of: string): boolean {
    const program = this.#program(expression, of);
    const steps = { left: Math.min(MAX_STEPS, this.#steps.left) };
    const before = steps.left;
    try {
      const value = program.evaluate({ device: this.#variable(driver, device) }, steps);
      if (typeof value !== "boolean") throw new CelError("CEL result is no bool");
      return value;
    } catch (cause) {
      if (!(cause instanceof CelError)) throw cause;
      throw new Error(`${of}: CEL runtime error: ${messageOf(cause)}`, { cause });
    } finally {
      this.#steps.left -= before - steps.left;
    }
  }

  #program(expression: string, of: string): CelProgram {
    let program = this.#programs.get(expression);
    if (program) return program;
    try {
      program = parseExpression(expression);
    } catch (cause) {
      throw new Error(`${of}: CEL compile error: ${messageOf(cause)}`, { cause });
    }
    this.#programs.set(expression, program);
    return program;
  }

  #variable(driver: string, device: Device): CelValue {
    const variable = this.#variables.get(device) ?? variableOf(driver, device);
    this.#variables.set(device, variable);
    return variable;
  }
}

function variableOf(driver: string, { attributes, capacity, allowMultipleAllocations }: Device): CelValue {
  return new Map<string, CelValue>([
    ["driver", driver],
    ["allowMultipleAllocations", allowMultipleAllocations ?? false],
    ["attributes", byDomain(attributes ?? {}, driver, (value) => attributeValue(value as Attribute))],
    ["capacity", byDomain(capacity ?? {}, driver, ({ value }) => CelQuantity.parse(value))],
  ]);
}

/** Names without a domain are of the driver's. A domain that has none is an empty map. */
function byDomain<T>(values: Record<string, T>, driver: string, read: (value: T) => CelValue): CelValue {
  const domains = new Map<string, Map<string, CelValue>>();
  for (const [name, value] of Object.entries(values)) {
    const slash = name.indexOf("/");
    const domain = slash < 0 ? driver : name.slice(0, slash);
    const inDomain = domains.get(domain) ?? new Map<string, CelValue>();
    domains.set(domain, inDomain.set(name.slice(slash + 1), read(value)));
  }
  return new CelDefaultMap(domains, new Map());
}

function attributeValue({ int, bool, string, version }: Attribute): CelValue {
  if (int !== undefined) return BigInt(int);
  if (version !== undefined) return semverOf(version);
  const value = bool ?? string;
  if (value === undefined) throw new CelError("unsupported attribute value");
  return value;
}
