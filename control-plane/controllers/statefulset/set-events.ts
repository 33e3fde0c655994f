import { isAlreadyExists } from "../../../shared/api/status.ts";
import type { StatefulSet } from "../../../shared/api/types.ts";
import { messageOf } from "../../../shared/message-of.ts";
import type { EventRecorder } from "../../runtime/index.ts";

type Verb = "Create" | "Update" | "Delete";

/** Events of a StatefulSet about its pods and claims, in upstream's words; with an error, about its failure. */
export interface SetEvents {
  pod(verb: Verb, podName: string, error?: unknown): void;
  claimCreated(claimName: string, podName: string, error?: unknown): void;
  conflictingController(claimName: string): void;
}

export function setEvents(set: StatefulSet, events: EventRecorder): SetEvents {
  const { name } = set.metadata;
  const record = (verb: Verb, error: unknown, texts: { done: string; failed: string }) => {
    if (error === undefined) events.event(set, "Normal", `Successful${verb}`, texts.done);
    // It only says that the cache was behind.
    else if (!isAlreadyExists(error))
      events.event(set, "Warning", `Failed${verb}`, `${texts.failed} failed error: ${messageOf(error)}`);
  };
  return {
    pod(verb, podName, error) {
      const text = `${verb} Pod ${podName} in StatefulSet ${name}`;
      record(verb, error, { done: `${text} successful`, failed: text });
    },
    claimCreated(claimName, podName, error) {
      const done = `Create Claim ${claimName} Pod ${podName} in StatefulSet ${name} success`;
      record("Create", error, { done, failed: `Create Claim ${claimName} for Pod ${podName} in StatefulSet ${name}` });
    },
    conflictingController(claimName) {
      const message = `PersistentVolumeClaim ${claimName} has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim`;
      events.event(set, "Warning", "ConflictingController", message);
    },
  };
}
