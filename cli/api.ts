import { readFileSync } from "node:fs";
import { request } from "node:https";
import { text as readText } from "node:stream/consumers";
import { UserError } from "./errors.ts";
import type { Home } from "./home.ts";

/** The API as the CLI's own admin calls it. */
export interface AdminApi {
  /** @throws UserError if nothing answers. Any HTTP status is an answer. */
  call(method: string, path: string, body?: object): Promise<{ status: number; text: string }>;
  server: string;
}

const TIMEOUT_MS = 30_000;

/** Reads this home's kubeconfig. @throws UserError if there is none yet */
export function openAdminApi(home: Home): AdminApi {
  const { server, ca, token } = readKubeconfig(home);
  return {
    server,
    call: (method, path, body) =>
      new Promise((resolve, reject) => {
        const text = body === undefined ? undefined : JSON.stringify(body);
        const call = request(
          `${server}${path}`,
          {
            method,
            ca,
            agent: false,
            timeout: TIMEOUT_MS,
            headers: {
              authorization: `Bearer ${token}`,
              accept: "application/json",
              ...(text === undefined ? {} : { "content-type": "application/json" }),
            },
          },
          (response) =>
            // Rejects when the connection breaks in the middle of the answer.
            readText(response).then((answer) => resolve({ status: response.statusCode ?? 0, text: answer }), fail),
        );
        const fail = (cause: Error) =>
          reject(
            new UserError(`the control plane at ${server} does not answer: ${cause.message}`, "./hearth status", {
              cause,
            }),
          );
        call.once("timeout", () => call.destroy(new Error(`no answer in ${TIMEOUT_MS / 1000} s`)));
        call.once("error", fail);
        call.end(text);
      }),
  };
}

function readKubeconfig(home: Home): { server: string; ca: Buffer; token: string } {
  let text: string;
  try {
    text = readFileSync(home.kubeconfigFile, "utf8");
  } catch {
    throw new UserError(`there is no control plane in ${home.dir} yet`, "start one: ./hearth up");
  }
  const field = (name: string) => new RegExp(`^ *${name}: (.+)$`, "m").exec(text)?.[1] ?? "";
  return {
    server: field("server"),
    ca: Buffer.from(field("certificate-authority-data"), "base64"),
    token: field("token"),
  };
}
