/** Whether the ways between nodes carry packets: small questions between agents, and what follows from the answers. */
export { Prober } from "./prober.ts";
