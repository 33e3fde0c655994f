import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import type { ImageSource } from "./oci-image.ts";
import type { TarEntry } from "./tar.ts";

const BUSYBOX_PATHS = ["/usr/bin/busybox", "/bin/busybox"];

/** Holds the sandbox's namespaces and reaps what is orphaned in a shared pid namespace. PID 1 gets no default signals. */
const PAUSE_SCRIPT = `#!/bin/busybox sh
trap 'exit 0' TERM INT
while :; do
  sleep 2147483647 &
  wait $!
done
`;

/** Stands in for nginx: the same port, page title and stop signals. */
const NGINX_SCRIPT = `#!/bin/busybox sh
echo "start worker processes"
httpd -f -v -p 80 -h /usr/share/nginx/html &
server=$!
trap 'kill $server; echo "gracefully shutting down"; exit 0' TERM QUIT INT
wait $server
`;

const NGINX_PAGE = `<!DOCTYPE html>
<html>
<head><title>Welcome to nginx!</title></head>
<body><h1>Welcome to nginx!</h1></body>
</html>
`;

/** Servers and clients of TCP and UDP for tests of the network: the machine's socat and the libraries that it is linked to. */
export function socatImage(): ImageSource {
  const program = "/usr/bin/socat";
  const linked = execFileSync("ldd", [program], { encoding: "utf8" });
  const libraries = [...linked.matchAll(/(\/\S+) \(0x/g)].map(([, path]) => path!);
  const directories = new Set(libraries.flatMap((path) => parentsOf(path)));
  return {
    name: "docker.io/alpine/socat:1.8.0.3",
    files: [
      ...busyboxRootfs(),
      ...[...directories].sort().map((path) => ({ name: `${path.slice(1)}/`, mode: 0o755 })),
      ...libraries.map((path) => ({ name: path.slice(1), content: readFileSync(path), mode: 0o755 })),
      { name: "bin/socat", content: readFileSync(program), mode: 0o755 },
    ],
    entrypoint: ["socat"],
  };
}

/** `/lib/x86_64-linux-gnu/libc.so.6` is in `/lib` and `/lib/x86_64-linux-gnu`. */
function parentsOf(path: string): string[] {
  const parts = path.split("/").slice(1, -1);
  return parts.map((_, i) => `/${parts.slice(0, i + 1).join("/")}`);
}

/** The images that the end-to-end tests run, all from the machine's static busybox. */
export function testImages(): ImageSource[] {
  const rootfs = busyboxRootfs();
  return [
    {
      name: "registry.k8s.io/pause:3.10",
      files: [...rootfs, { name: "pause", content: Buffer.from(PAUSE_SCRIPT), mode: 0o755 }],
      entrypoint: ["/pause"],
    },
    { name: "docker.io/library/busybox:1.37", files: rootfs, cmd: ["sh"] },
    {
      name: "docker.io/library/nginx:1.29",
      files: [
        ...rootfs,
        { name: "docker-entrypoint.sh", content: Buffer.from(NGINX_SCRIPT), mode: 0o755 },
        { name: "usr/share/", mode: 0o755 },
        { name: "usr/share/nginx/", mode: 0o755 },
        { name: "usr/share/nginx/html/", mode: 0o755 },
        { name: "usr/share/nginx/html/index.html", content: Buffer.from(NGINX_PAGE) },
      ],
      entrypoint: ["/docker-entrypoint.sh"],
      env: ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "NGINX_VERSION=1.29.8"],
      stopSignal: "SIGQUIT",
      exposedPorts: ["80/tcp"],
    },
  ];
}

function busyboxRootfs(): TarEntry[] {
  const binary = BUSYBOX_PATHS.find(existsSync);
  if (!binary) throw new Error("busybox is missing; install the package busybox-static");
  const applets = execFileSync(binary, ["--list"], { encoding: "utf8" }).split("\n").filter(Boolean);
  return [
    { name: "bin/", mode: 0o755 },
    { name: "bin/busybox", content: readFileSync(binary), mode: 0o755 },
    ...applets
      .filter((applet) => applet !== "busybox")
      .map((applet) => ({ name: `bin/${applet}`, linkTarget: "busybox", mode: 0o777 })),
    { name: "etc/", mode: 0o755 },
    {
      name: "etc/passwd",
      content: Buffer.from("root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/home:/bin/false\n"),
    },
    { name: "etc/group", content: Buffer.from("root:x:0:\nnobody:x:65534:\n") },
    { name: "root/", mode: 0o700 },
    { name: "tmp/", mode: 0o1777 },
    { name: "usr/", mode: 0o755 },
    { name: "var/", mode: 0o755 },
  ];
}
