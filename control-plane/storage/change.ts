import { renderStored } from "../../shared/api/stored-object.ts";
import type { ChangeType, Selection, WatchRequest } from "./interface.ts";
import type { RevisionRow, StateRow } from "./revision-table.ts";
import { selects } from "./selection.ts";

type TypeMeta = WatchRequest["typeMeta"];

/** One write on its way to the watchers. Its lines are rendered once, however many read them. */
export class CommittedChange {
  readonly row: RevisionRow;
  readonly #load: (revision: number) => StateRow | null;
  readonly #lines = new Map<string, string>();
  #previous: StateRow | null | undefined;

  /** @param load reads the state that a revision left */
  constructor(row: RevisionRow, load: (revision: number) => StateRow | null) {
    this.row = row;
    this.#load = load;
  }

  /**
   * The line of the watch event for a selection, with its line feed; null if it is not concerned. An object that
   * comes to match is ADDED, one that no longer does is DELETED, with its last matching text at the new revision.
   */
  lineFor(selection: Selection, typeMeta: TypeMeta): string | null {
    const { type, key, attributes, value } = this.row;
    const isIn = selects(selection, key, attributes);
    if (type !== "MODIFIED") return isIn ? this.#line(type, value, typeMeta) : null;
    const before = isUnconditional(selection) ? null : this.previous();
    const wasIn = before === null ? isIn : selects(selection, key, before.attributes);
    if (isIn) return this.#line(wasIn ? "MODIFIED" : "ADDED", value, typeMeta);
    return wasIn ? this.#line("DELETED", before?.value ?? value, typeMeta) : null;
  }

  /** The state that the write replaced; null for an object that is new. Read at most once. */
  previous(): StateRow | null {
    if (this.#previous === undefined)
      this.#previous = this.row.previous === null ? null : this.#load(this.row.previous);
    return this.#previous;
  }

  #line(type: ChangeType, value: string, typeMeta: TypeMeta): string {
    const name = `${type} ${typeMeta.apiVersion} ${typeMeta.kind}`;
    let line = this.#lines.get(name);
    if (line === undefined) {
      line = renderEvent(type, renderStored(value, this.row.revision, typeMeta));
      this.#lines.set(name, line);
    }
    return line;
  }
}

/** Labels and fields are what an update can change; namespace and name never. */
const isUnconditional = ({ labels, fields }: Selection) => !labels?.length && !fields?.length;

/** One line of a watch stream. */
export function renderEvent(type: ChangeType | "BOOKMARK", object: string): string {
  return `{"type":"${type}","object":${object}}\n`;
}

/**
 * A bookmark: up to this revision the watcher has seen everything.
 * @param endsInitialEvents marks the end of what `sendInitialEvents` asked for (KEP-3157)
 */
export function renderBookmark(
  revision: number,
  { typeMeta: { kind, apiVersion }, emptyFields }: Pick<WatchRequest, "typeMeta" | "emptyFields">,
  endsInitialEvents = false,
): string {
  const annotations = endsInitialEvents ? { annotations: { "k8s.io/initial-events-end": "true" } } : {};
  const metadata = { resourceVersion: String(revision), ...annotations };
  return renderEvent("BOOKMARK", JSON.stringify({ kind, apiVersion, metadata, ...emptyFields }));
}
