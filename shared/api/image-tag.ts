const COMPONENT = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
const LABEL = "(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])";
const HOST = String.raw`(?:${LABEL}(?:\.${LABEL})*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?`;
const DIGEST = "sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128}";
/** A full reference as the distribution project defines it: host, path, tag, digest. */
const REFERENCE = new RegExp(
  String.raw`^(?:${HOST})/${COMPONENT}(?:/${COMPONENT})*(?::([\w][\w.-]{0,127}))?(?:@(${DIGEST}))?$`,
);
const IDENTIFIER = /^[a-f0-9]{64}$/;

const MAX_NAME = 255;
/** A name, a tag and the longest digest: nothing longer can be a reference. */
const MAX_REFERENCE = 520;

/**
 * Whether an image reference means the tag `latest` (by name, or because it has neither tag nor digest): such images are
 * pulled always by default. A reference that cannot be parsed does not.
 */
export function isLatest(image: string): boolean {
  if (image.length > MAX_REFERENCE || IDENTIFIER.test(image)) return false;
  const full = withHost(image);
  const match = REFERENCE.exec(full);
  if (!match) return false;
  const [, tag, digest] = match;
  const name = full.split("@")[0]!.slice(0, tag === undefined ? undefined : -tag.length - 1);
  if (name.length > MAX_NAME) return false;
  return tag === "latest" || (tag === undefined && digest === undefined);
}

/** Short names are Docker Hub's; its own images are in `library`. */
function withHost(image: string): string {
  const slash = image.indexOf("/");
  const first = image.slice(0, Math.max(slash, 0));
  const isHost = /[.:]/.test(first) || first === "localhost" || first.toLowerCase() !== first;
  if (slash >= 0 && isHost) return image;
  return slash < 0 ? `docker.io/library/${image}` : `docker.io/${image}`;
}
