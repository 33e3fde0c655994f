import type { Device } from "./devices.ts";

interface Declared {
  requests?: string[];
  matchAttribute?: string;
  distinctAttribute?: string;
}

/** One constraint of a claim, over the devices chosen so far. */
export class Constraint {
  readonly #requests: ReadonlySet<string>;
  readonly #attribute: string;
  readonly #isDistinct: boolean;
  /** Of the devices that it covers, in the order in which they were added. */
  readonly #values: string[] = [];

  /** @throws Error for a constraint of neither kind */
  constructor({ requests, matchAttribute, distinctAttribute }: Declared, of: string) {
    const attribute = matchAttribute ?? distinctAttribute;
    if (attribute === undefined) throw new Error(`${of}: empty constraint (unsupported constraint type?)`);
    this.#requests = new Set(requests);
    this.#attribute = attribute;
    this.#isDistinct = matchAttribute === undefined;
  }

  /** Adds a device if it may go with the others. Undone by `removeLast` in the reverse order. */
  add(request: string, subRequest: string | undefined, driver: string, device: Device): boolean {
    if (!this.#covers(request, subRequest)) return true;
    const value = attributeOf(device, driver, this.#attribute);
    if (value === undefined) return false;
    const isPresent = this.#values.includes(value);
    if (this.#isDistinct ? isPresent : this.#values.length > 0 && !isPresent) return false;
    this.#values.push(value);
    return true;
  }

  removeLast(request: string, subRequest: string | undefined): void {
    if (this.#covers(request, subRequest)) this.#values.pop();
  }

  #covers(request: string, subRequest: string | undefined): boolean {
    return (
      this.#requests.size === 0 ||
      this.#requests.has(request) ||
      (subRequest !== undefined && this.#requests.has(`${request}/${subRequest}`))
    );
  }
}

/** The value with its type; names without a domain are of the driver's. */
function attributeOf({ attributes = {} }: Device, driver: string, name: string): string | undefined {
  const short = name.startsWith(`${driver}/`) ? name.slice(driver.length + 1) : name;
  const key = Object.hasOwn(attributes, name) ? name : short;
  return Object.hasOwn(attributes, key) ? JSON.stringify(attributes[key]) : undefined;
}
