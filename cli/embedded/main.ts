/**
 * The embedded control plane: one process that keeps workerd running and answers for it on the port, over TLS.
 * `./hearth up` starts it detached. It writes the CA and the admin's kubeconfig when it is ready to serve.
 */
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rotateLogs } from "../../agent/runtime/index.ts";
import { apiClusterIp } from "../../shared/api/cluster-network.ts";
import { CLUSTER, DEFAULT_PORT, findHome, prepareHome } from "../home.ts";
import { renderKubeconfig } from "../kubeconfig-text.ts";
import { machineAddress } from "../machine-address.ts";
import { readRootSecret } from "../root-secret.ts";
import { createHostingClient } from "./control-plane-client.ts";
import { openFrontDoor } from "./front-door.ts";
import { isRenewalDue, localServingNames, requestServingCertificate } from "./serving-certificate.ts";
import { Workerd } from "./workerd.ts";

const HOUSEKEEPING_MS = 60_000;

const home = findHome();
const port = Number(process.env["HEARTH_PORT"] ?? DEFAULT_PORT);
prepareHome(home);
const rootSecret = readRootSecret(home);

const workerd = new Workerd({
  workerBundle: join(import.meta.dirname, "worker.js"),
  dataDir: home.dataDir,
  runDir: home.runDir,
  socket: home.workerdSocket,
  cluster: CLUSTER,
  rootSecret,
});
await workerd.start();

const hosting = createHostingClient(home.workerdSocket, rootSecret);
const [clusterCidr, serviceClusterIpRange] = ["HEARTH_CLUSTER_CIDR", "HEARTH_SERVICE_CLUSTER_IP_RANGE"].map(
  (name) => process.env[name],
);
/** Makes the cluster, or tells it where nodes reach it now. */
const announce = (ip: string) =>
  hosting.post(`/hearth/v1/clusters/${CLUSTER}`, {
    advertised: { ip, port },
    network: { clusterCidr, serviceClusterIpRange },
  });
let address = machineAddress();
const created = await announce(address);
const apiIp = apiClusterIp({ serviceCidrs: created["serviceCidrs"] as string[] });
const caPem = String(created["clusterCa"]);
let certificate = await requestServingCertificate(hosting, CLUSTER, caPem, localServingNames(apiIp));
const door = await openFrontDoor({
  port,
  upstreamSocket: home.workerdSocket,
  certificate,
  caPem,
  cluster: CLUSTER,
  rootSecret,
});

writePrivately(home.caFile, caPem);
writePrivately(
  home.kubeconfigFile,
  renderKubeconfig({ server: `https://127.0.0.1:${port}`, caPem, token: String(created["adminToken"]) }),
);
console.log(`${new Date().toISOString()} serving cluster ${CLUSTER} on port ${port}`);

const housekeeping = setInterval(() => {
  rotateLogs(Object.values(home.processes).map(({ logFile }) => logFile));
  const present = machineAddress();
  if (present !== address) {
    announce(present).then(
      () => {
        address = present;
      },
      (error: unknown) => console.error("the machine's new address was not announced; trying again:", error),
    );
  }
  const names = localServingNames(apiIp);
  if (!isRenewalDue(certificate, names, Date.now())) return;
  requestServingCertificate(hosting, CLUSTER, caPem, names).then(
    (renewed) => {
      certificate = renewed;
      door.setCertificate(renewed);
    },
    (error: unknown) => console.error("the serving certificate was not renewed; trying again in a minute:", error),
  );
}, HOUSEKEEPING_MS);

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.once(signal, async () => {
    clearInterval(housekeeping);
    await door.close();
    await workerd.stop();
    rmSync(home.workerdSocket, { force: true });
    process.exit(0);
  });
}

function writePrivately(path: string, text: string): void {
  writeFileSync(`${path}.tmp`, text, { mode: 0o600 });
  renameSync(`${path}.tmp`, path);
}
