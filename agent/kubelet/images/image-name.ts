/** Grammar of github.com/distribution/reference, for the parts that a kubelet has to tell apart. */
const NAME =
  "(?:(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?(?:\\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?/)?" +
  "[a-z0-9]+(?:(?:[._]|__|[-]+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:[._]|__|[-]+)[a-z0-9]+)*)*";
const REFERENCE = new RegExp(
  `^(${NAME})(?::([a-zA-Z0-9_][\\w.-]{0,127}))?(?:@([A-Za-z][A-Za-z0-9]*(?:[+._-][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}))?$`,
);

export interface ImageReference {
  name: string;
  tag?: string;
  digest?: string;
}

/** Undefined when it is not an image's name. */
export function parseImageName(image: string): ImageReference | undefined {
  const match = REFERENCE.exec(image);
  if (!match) return undefined;
  return { name: match[1]!, tag: match[2], digest: match[3] };
}

/** `nginx` becomes `nginx:latest`. Undefined when it is not an image's name. */
export function withDefaultTag(image: string): string | undefined {
  const reference = parseImageName(image);
  if (!reference) return undefined;
  return reference.tag || reference.digest ? image : `${image}:latest`;
}

/** 64 hexadecimal digits would be an image's id. */
const IDENTIFIER = /^[a-f0-9]{64}$/;
const MAX_NAME_LENGTH = 255;

/** What is wrong with an image's name, in the words of github.com/distribution/reference. */
export function whyInvalidImageName(image: string): string {
  if (IDENTIFIER.test(image)) {
    return `invalid repository name (${image}), cannot specify 64-byte hexadecimal strings`;
  }
  const { domain, remainder } = splitDomain(image);
  const remote = remainder.split(":")[0]!;
  if (remote.toLowerCase() !== remote) {
    return `invalid reference format: repository name (${remote}) must be lowercase`;
  }
  if (`${domain}/${remote}`.length > MAX_NAME_LENGTH) {
    return `repository name must not be more than ${MAX_NAME_LENGTH} characters`;
  }
  return "invalid reference format";
}

/** A first part that looks like a host is one; all else is Docker's hub, where names without a slash are in `library`. */
function splitDomain(image: string): { domain: string; remainder: string } {
  const slash = image.indexOf("/");
  const first = image.slice(0, Math.max(0, slash));
  const isHost = slash > 0 && (/[.:]/.test(first) || first === "localhost" || first.toLowerCase() !== first);
  const domain = isHost && first !== "index.docker.io" ? first : "docker.io";
  const remainder = isHost ? image.slice(slash + 1) : image;
  return { domain, remainder: domain === "docker.io" && !remainder.includes("/") ? `library/${remainder}` : remainder };
}
