import type { Container } from "../api/index.ts";
import { type HttpGetAction, httpGet } from "./http-get.ts";
import { failure, type Outcome, success, warning } from "./outcome.ts";

const FIRST_GOOD_CODE = 200;
const FIRST_REDIRECT_CODE = 300;
const FIRST_BAD_CODE = 400;

/** Any code from 200 to 399 is good; one that redirects to another host is good with a warning. @throws Error for an unknown port */
export async function probeHttp(
  action: HttpGetAction,
  { container, host, timeoutMs }: { container: Container; host: string; timeoutMs: number },
): Promise<Outcome> {
  let answer: Awaited<ReturnType<typeof httpGet>>;
  try {
    answer = await httpGet(action, { container, host, agent: "probe", timeoutMs });
  } catch (error) {
    const { message } = error as Error;
    if (!message.startsWith('Get "')) throw error;
    return failure(message);
  }
  const { code, body } = answer;
  if (code < FIRST_GOOD_CODE || code >= FIRST_BAD_CODE) return failure(`HTTP probe failed with statuscode: ${code}`);
  return code < FIRST_REDIRECT_CODE ? success : warning(`Probe terminated redirects, Response body: ${body}`);
}
