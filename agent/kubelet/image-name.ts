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
