import { writeTestImages } from "./index.ts";

const directory = process.argv[2];
if (!directory) {
  console.error("usage: node test/images/main.ts DIR");
  process.exit(1);
}
for (const [name, path] of writeTestImages(directory)) console.log(`${name}\t${path}`);
