import type { PullRecord } from "../../state/index.ts";
import { parseImageName } from "./image-name.ts";

/** When a pod has to show that it may have an image that is there already (KEP-2535, KubeletConfiguration). */
export type CredentialPolicy =
  | "NeverVerify"
  | "NeverVerifyPreloadedImages"
  | "NeverVerifyAllowlistedImages"
  | "AlwaysVerify";

export interface VerificationSettings {
  policy: CredentialPolicy;
  /** Repositories, exact or ending in `/*`. */
  allowlist: string[];
}

/** A secret that credentials came from. The hash tells the same credentials in another secret. */
export interface SecretIdentity {
  uid: string;
  namespace: string;
  name: string;
  hash: string;
}

/** Of one image: enough for any node, and what is kept is bounded. */
const MAX_SECRETS = 100;

/**
 * Whether the pod has to pull an image that is on the node, to prove that it may have it: what one pod has pulled with
 * its secret is not for every other.
 * @param facts.record of pulls of this image; undefined if it was never pulled here
 * @param facts.isPulling a pull was begun and nothing is known of its end
 */
export function mustPull(
  image: string,
  secrets: SecretIdentity[],
  facts: { record: PullRecord | undefined; isPulling: boolean },
  { policy, allowlist }: VerificationSettings,
): boolean {
  const wasPulled = facts.record !== undefined || facts.isPulling;
  const repository = repositoryOf(image);
  if (policy === "NeverVerify") return false;
  if (policy === "NeverVerifyPreloadedImages" && !wasPulled) return false;
  if (policy === "NeverVerifyAllowlistedImages" && allowlist.some((pattern) => fits(pattern, repository))) return false;
  const known = facts.record?.repositories[repository];
  if (!known) return true;
  if (known.isForAll) return false;
  // A secret whose content has changed is the same one; its content in another is as good.
  return !secrets.some((own) => known.secrets.some((other) => own.hash === other.hash || isSame(own, other)));
}

/** The record with one more way to the image. @param secret undefined when it was pulled without any */
export function withPull(
  record: PullRecord | undefined,
  image: string,
  secret: SecretIdentity | undefined,
): PullRecord {
  const repository = repositoryOf(image);
  const repositories = record?.repositories ?? {};
  const known = repositories[repository] ?? { isForAll: false, secrets: [] };
  const next = secret
    ? {
        ...known,
        secrets: [secret, ...known.secrets.filter((other) => !isSame(secret, other))].slice(0, MAX_SECRETS),
      }
    : { isForAll: true, secrets: [] };
  return { repositories: { ...repositories, [repository]: next } };
}

const isSame = (a: SecretIdentity, b: SecretIdentity) =>
  a.uid === b.uid && a.namespace === b.namespace && a.name === b.name;

const repositoryOf = (image: string): string => parseImageName(image)?.name ?? image;

const fits = (pattern: string, repository: string): boolean =>
  pattern.endsWith("/*") ? repository.startsWith(pattern.slice(0, -1)) : pattern === repository;
