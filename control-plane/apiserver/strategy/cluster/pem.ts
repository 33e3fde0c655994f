const BLOCK = /^-----BEGIN ([^\n-]+)-----[ \t]*\r?\n[A-Za-z0-9+/=\s]+^-----END \1-----/gm;

/**
 * The types of the PEM blocks of a text, in order: `CERTIFICATE`, `CERTIFICATE REQUEST` … (RFC 7468).
 * @param base64 as a bytes field of the API has it
 * @returns empty when there are none, or when it is no base64
 */
export function pemBlockTypes(base64: string | undefined): string[] {
  let text: string;
  try {
    text = atob(base64 ?? "");
  } catch {
    return []; // no text, so no blocks: the caller refuses it
  }
  return [...text.matchAll(BLOCK)].map((match) => match[1]!);
}
