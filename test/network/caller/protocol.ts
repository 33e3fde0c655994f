/** What a caller is asked to do, one JSON object a line; each is answered by a line `{id, result}`. */
export type Command =
  | { do: "ask"; ask: Ask }
  | { do: "until"; ask: Ask; name: string }
  | { do: "listen"; listen: Listen }
  | { do: "keep"; keep: Keep }
  | { do: "end"; what: string };

export interface Target {
  protocol?: "TCP" | "UDP";
  address: string;
  port: number;
}

/** One question, or many of the same: opens a connection (or sends a datagram) and reads what comes. */
export interface Ask extends Target {
  /** 1. */
  count?: number;
  /** Of `count`, at a time: 16. */
  atOnce?: number;
  /** Where it comes from, any of its own. */
  localAddress?: string;
  localPort?: number;
  /** Until it counts as unanswered: 2000. */
  timeoutMs?: number;
  /** Sent first, and everything that comes until the connection ends is the answer: TCP alone. */
  send?: string;
}

/** The first line that came, or why none did: an errno's name, or "timeout". */
export interface Answer {
  text: string;
  ms: number;
}

/** A server that answers each connection and datagram with a name and the address of whoever asks, and then echoes. */
export interface Listen extends Target {
  name: string;
}

/** Something that goes on until it is ended by its name. */
export interface Keep extends Target {
  name: string;
  /** One connection that sends a line every few milliseconds and reads its echo; or a new connection or datagram each time. */
  how: "stream" | "knock";
  intervalMs: number;
  localPort?: number;
}

/** What was seen until it ended. */
export interface Kept {
  sent: number;
  /** Lines that came back, in order; or answers. */
  received: number;
  /** Errors by their text, with their number. */
  errors: Record<string, number>;
  /** Answers by their first word, with their number. */
  from: Record<string, number>;
  /** The longest time without anything coming back. */
  longestGapMs: number;
}
