/** One array of all; the parts are copied. */
export function join(parts: readonly Uint8Array[], totalBytes: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(totalBytes);
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.byteLength;
  }
  return whole;
}
