import type { Service } from "../../shared/api/types.ts";
import { type Informer, keyOf } from "../informer/index.ts";
import type { UdpTarget } from "./conntrack.ts";
import type { HealthCheck } from "./health.ts";
import type { Piece } from "./pieces.ts";
import { type PlanInputs, planService, type ServicePlan } from "./plan.ts";
import type { ServiceIndex } from "./service-index.ts";
import type { Pieces } from "./table-sync.ts";

/** What Services make of a node in one family: their rules, and what else is noted while these are told. All by Service. */
export class Wanted {
  /** Of those that have such ports. */
  readonly withoutLocal = new Map<string, ServicePlan["withoutLocal"]>();
  readonly checks = new Map<string, HealthCheck>();
  /** Where datagrams go now, of those that were told since flows were last looked at. */
  readonly udp = new Map<string, UdpTarget[]>();
  readonly #services: Pick<Informer<Service>, "get" | "list">;
  readonly #index: Pick<ServiceIndex, "slicesOf">;

  constructor(services: Pick<Informer<Service>, "get" | "list">, index: Pick<ServiceIndex, "slicesOf">) {
    this.#services = services;
    this.#index = index;
  }

  /** The rules as the Services are when they are asked for. */
  pieces(inputs: Omit<PlanInputs, "slices">): Pieces {
    const of = (key: string) => this.#take(key, inputs);
    const all = () => this.#all(of);
    return { of, all };
  }

  *#all(of: Pieces["of"]): Generator<readonly [string, Piece], void> {
    // Nobody asks for those that are gone.
    for (const noted of [this.withoutLocal, this.checks, this.udp]) noted.clear();
    for (const key of this.#services.list().map(keyOf)) {
      const piece = of(key);
      if (piece) yield [key, piece];
    }
  }

  #take(key: string, inputs: Omit<PlanInputs, "slices">): Piece | null {
    for (const noted of [this.withoutLocal, this.checks, this.udp]) noted.delete(key);
    const service = this.#services.get(key);
    if (!service) return null;
    const plan = planService(service, { ...inputs, slices: this.#index.slicesOf(key) });
    if (plan.udp.length > 0) this.udp.set(key, plan.udp);
    if (plan.withoutLocal.internal + plan.withoutLocal.external > 0) this.withoutLocal.set(key, plan.withoutLocal);
    if (plan.health) this.checks.set(key, plan.health);
    return isEmpty(plan.piece) ? null : plan.piece;
  }
}

const isEmpty = ({ chains, affinitySets, elements }: Piece) => chains.size + affinitySets.size + elements.length === 0;
