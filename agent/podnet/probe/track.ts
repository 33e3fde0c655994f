/** What is known of one way to one peer. Times are epoch ms. */
export interface Track {
  /** When the next request goes. */
  dueMs: number;
  /** Requests since the last answer. */
  unanswered: number;
  /** When the first of those was sent. */
  silentSinceMs: number;
  /** In a row, as far as they count. */
  answers: number;
  lastAnswerMs: number;
  /** Packets are not sent this way until it has answered again, and again. */
  fails: boolean;
}

/** A datagram may be lost; four in a row are not, where packets get through. */
export const MAX_UNANSWERED = 4;
/** Answers in a row before a way that failed is taken again. */
const ANSWERS_TO_RETURN = 2;
/** Between requests while it is not clear whether there are answers. */
const DOUBT_MS = 600;
/** Without answers the pauses grow to this. */
const MAX_PAUSE_MS = 15_000;
/** How long an answer may be on its way after one to a later question has come by another way. */
const GRACE_MS = 1_000;

/** How often a way that works is asked whether it still does. Of many peers each is asked less often: one a second. */
const HEARTBEAT_MS = 15_000;
const MAX_HEARTBEAT_MS = 300_000;
export const heartbeatMs = (peers: number): number => Math.min(MAX_HEARTBEAT_MS, Math.max(HEARTBEAT_MS, peers * 1_000));

/** @param options.fails it was found so by this node before */
export const newTrack = (nowMs: number, { fails = false } = {}): Track => ({
  dueMs: nowMs,
  unanswered: 0,
  silentSinceMs: 0,
  answers: 0,
  lastAnswerMs: 0,
  fails,
});

/** A request is sent. */
export function afterRequest(track: Track, nowMs: number): Track {
  const unanswered = track.unanswered + 1;
  return {
    ...track,
    unanswered,
    silentSinceMs: track.unanswered === 0 ? nowMs : track.silentSinceMs,
    answers: unanswered >= MAX_UNANSWERED ? 0 : track.answers,
    dueMs: nowMs + Math.min(MAX_PAUSE_MS, DOUBT_MS * 2 ** Math.max(0, unanswered - MAX_UNANSWERED)),
  };
}

/** An answer came. */
export function afterAnswer(track: Track, nowMs: number, restMs: number): Track {
  const answers = track.answers + 1;
  const fails = track.fails && answers < ANSWERS_TO_RETURN;
  return { ...track, answers, fails, unanswered: 0, lastAnswerMs: nowMs, dueMs: nowMs + (fails ? DOUBT_MS : restMs) };
}

/** Something speaks for it that there are answers again, or none: it is asked at once. */
export const hurried = (track: Track, nowMs: number): Track => ({ ...track, dueMs: Math.min(track.dueMs, nowMs) });

export const isSilent = ({ unanswered }: Track): boolean => unanswered >= MAX_UNANSWERED;

/**
 * Whether a way is to be given up: it is silent although the peer is there, as it has answered by another way since. A
 * peer that is silent altogether has ended or starts again; its ways are left as they are.
 * @param others of the same peer
 * @returns false also while an answer may be on its way; `untilMs` then says how long
 */
export function isGivenUp(track: Track, others: readonly Track[], nowMs: number): { isSo: boolean; untilMs?: number } {
  if (!isSilent(track)) return { isSo: false };
  const answers = others.map(({ lastAnswerMs }) => lastAnswerMs).filter((ms) => ms > track.silentSinceMs);
  if (answers.length === 0) return { isSo: false };
  const untilMs = Math.max(Math.min(...answers), track.silentSinceMs + MAX_UNANSWERED * DOUBT_MS) + GRACE_MS;
  return nowMs >= untilMs ? { isSo: true } : { isSo: false, untilMs };
}
