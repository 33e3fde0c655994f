/** The lines of a `kubectl describe` text, without what differs from run to run: indentation, ages, counts, times and ids. */
export function describedLines(text: string): string[] {
  return text.split("\n").map((line) => {
    const event = /^ {2}(Normal|Warning) +(\S+) +(?:<unknown>|\S+(?: \(x\d+ over \S+\))?) +(\S+) +(.*)$/.exec(line);
    const plain = event ? event.slice(1).join(" ") : line;
    return plain
      .trim()
      .replaceAll(/ {2,}/g, " ")
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<uid>")
      .replaceAll(/\b[0-9a-f]{64}\b/g, "<id>")
      .replaceAll(/\bkube-api-access-[a-z0-9]{5}\b/g, "kube-api-access-<random>")
      .replaceAll(/\b10\.244\.\d+\.\d+\b/g, "<ip>")
      .replaceAll(/\b[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} [\d:]{8} [+-]\d{4}/g, "<time>");
  });
}
