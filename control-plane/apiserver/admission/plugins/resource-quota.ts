import type { KubeObject } from "../../../../shared/api/object.ts";
import { RESOURCE_QUOTAS } from "../../../../shared/api/refs.ts";
import { conflict, OBJECT_MODIFIED } from "../../../../shared/api/status.ts";
import type { ResourceQuota } from "../../../../shared/api/types.ts";
import { decideCharge, type Evaluator, evaluatorOf } from "../../../quota/index.ts";
import { type AdmissionPlugin, type AdmissionRequest, refuse } from "../plugin.ts";

/** Charges that lose to another write are decided again, this often. */
const MAX_ATTEMPTS = 4;

/** Refuses what would use more than the quotas of a namespace allow, and notes in them what is used. */
export const resourceQuota: AdmissionPlugin = {
  name: "ResourceQuota",

  validate(request) {
    const { operation, attributes } = request;
    if (operation === "DELETE" || !attributes.namespace) return;
    const evaluator = evaluatorOf(attributes.resource);
    if (!evaluator?.handles(writeOf(request))) return;
    return charge(request, evaluator, attributes.namespace);
  },
};

const writeOf = ({ operation, attributes, object, old }: AdmissionRequest) => ({
  operation,
  subresource: attributes.subresource,
  object: object!,
  old,
});

async function charge(request: AdmissionRequest, evaluator: Evaluator, namespace: string): Promise<void> {
  const { reader, writer, attributes } = request;
  let quotas = (await reader.list(RESOURCE_QUOTAS, namespace)) as unknown as ResourceQuota[];
  for (let attempt = 0; quotas.length > 0; attempt++) {
    const decision = decideCharge(quotas, evaluator, writeOf(request), Date.now());
    if (!decision.ok) throw refuse(request, decision.why);
    if (attributes.dryRun) return;
    const lost = new Set<string>();
    for (const quota of decision.charged) {
      const before = quotas.find(({ metadata }) => metadata.name === quota.metadata.name);
      const isWritten = await writer.replaceStatus(
        RESOURCE_QUOTAS,
        before as unknown as KubeObject,
        quota.status ?? {},
      );
      if (!isWritten) lost.add(quota.metadata.name ?? "");
    }
    if (lost.size === 0) return;
    if (attempt + 1 === MAX_ATTEMPTS) throw conflict(RESOURCE_QUOTAS, [...lost][0] ?? "", OBJECT_MODIFIED);
    const fresh = (await reader.listLive(RESOURCE_QUOTAS, namespace)) as unknown as ResourceQuota[];
    quotas = fresh.filter(({ metadata }) => lost.has(metadata.name ?? ""));
  }
}
