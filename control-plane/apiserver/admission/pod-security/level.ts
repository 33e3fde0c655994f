import { invalidValue } from "../../../../shared/api/field-error.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";

/** From the loosest to the strictest (Pod Security Standards). */
const LEVELS = ["privileged", "baseline", "restricted"] as const;
export type Level = (typeof LEVELS)[number];

/** A level as of a minor version of Kubernetes; Infinity is the latest. */
export interface LevelVersion {
  level: Level;
  minor: number;
}

/** What a namespace asks for: violations of `enforce` are refused, of `audit` recorded, of `warn` told to the client. */
export interface Policy {
  enforce: LevelVersion;
  audit: LevelVersion;
  warn: LevelVersion;
}

type Labels = Record<string, string>;

const LABEL_PREFIX = "pod-security.kubernetes.io/";
const LATEST = "latest";
const VERSION = /^v1\.(0|[1-9][0-9]*)$/;
/** Far beyond any release; a longer number is no version. */
const MAX_MINOR_DIGITS = 9;

export const isStricter = (a: Level, b: Level): boolean => LEVELS.indexOf(a) > LEVELS.indexOf(b);

export const isSame = (a: LevelVersion, b: LevelVersion): boolean => a.level === b.level && a.minor === b.minor;

/** `restricted:v1.25`, `baseline:latest` */
export const printLevel = ({ level, minor }: LevelVersion): string =>
  `${level}:${minor === Number.POSITIVE_INFINITY ? LATEST : `v1.${minor}`}`;

function parseMinor(text: string): number | undefined {
  if (text === LATEST) return Number.POSITIVE_INFINITY;
  const digits = VERSION.exec(text)?.[1];
  return digits === undefined || digits.length > MAX_MINOR_DIGITS ? undefined : Number(digits);
}

/** One mode's labels. What cannot be read counts as `fallback`, of the latest version. */
function readMode(labels: Labels, mode: keyof Policy, fallback: Level): { value: LevelVersion; causes: StatusCause[] } {
  const causes: StatusCause[] = [];
  const value: LevelVersion = { level: "privileged", minor: Number.POSITIVE_INFINITY };
  const [levelLabel, versionLabel] = [`${LABEL_PREFIX}${mode}`, `${LABEL_PREFIX}${mode}-version`];
  const level = labels[levelLabel];
  if (level !== undefined) {
    const known = LEVELS.find((name) => name === level);
    value.level = known ?? fallback;
    if (!known) {
      causes.push(invalidValue(`metadata.labels[${levelLabel}]`, level, `must be one of ${LEVELS.join(", ")}`));
    }
  }
  const version = labels[versionLabel];
  if (version !== undefined) {
    const minor = parseMinor(version);
    value.minor = minor ?? Number.POSITIVE_INFINITY;
    if (minor === undefined) {
      causes.push(invalidValue(`metadata.labels[${versionLabel}]`, version, 'must be "latest" or "v1.x"'));
    }
  }
  return { value, causes };
}

/**
 * What a namespace's labels ask for, and what is wrong with them. Wrong labels refuse more than they allow: an unknown
 * level is enforced as `restricted`. Who enforces a level is warned of it too, unless told otherwise.
 * @see https://kubernetes.io/docs/concepts/security/pod-security-admission/
 */
export function readPolicy(labels: Labels = {}): { policy: Policy; causes: StatusCause[] } {
  const enforce = readMode(labels, "enforce", "restricted");
  const audit = readMode(labels, "audit", "privileged");
  const warn = readMode(labels, "warn", "privileged");
  const enforced = labels[`${LABEL_PREFIX}enforce`];
  const followsEnforce = enforced === enforce.value.level && labels[`${LABEL_PREFIX}warn`] === undefined;
  if (followsEnforce && isStricter(enforce.value.level, warn.value.level)) {
    warn.value.level = enforce.value.level;
    if (labels[`${LABEL_PREFIX}warn-version`] === undefined) warn.value.minor = enforce.value.minor;
  }
  const causes = [...enforce.causes, ...audit.causes, ...warn.causes];
  return { policy: { enforce: enforce.value, audit: audit.value, warn: warn.value }, causes };
}
