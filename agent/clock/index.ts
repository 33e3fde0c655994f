/** Time as an argument, and sleepers that may be woken: what every part of the agent that waits is built on. */
export { type Clock, systemClock } from "./clock.ts";
export { createWake, type Wake } from "./wake.ts";
