import {
  FIELD_IMMUTABLE,
  fieldForbidden,
  inclusiveRange,
  invalidValue,
  required,
  tooLong,
} from "../../../../shared/api/field-error.ts";
import { checkDns1123Subdomain } from "../../../../shared/api/names.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { VolumeAttachment } from "../../../../shared/api/types.ts";
import { utf8Length } from "../../../../shared/api/utf8.ts";
import { checkInlineVolumeSpec } from "../core/volume-spec.ts";
import { isEqual } from "../equality.ts";
import { renderInternal } from "../internal-form/index.ts";
import type { Strategy } from "../strategy.ts";
import { checkDriverName } from "./csi.ts";

const MAX_STATUS_BYTES = 256 * 1024;
const MAX_ERROR_MESSAGE = 1024;

type AttachmentError = NonNullable<VolumeAttachment["status"]>["attachError"];

function checkAttachmentError(error: AttachmentError, path: string): StatusCause[] {
  const { message = "", errorCode = 0 } = error ?? {};
  return [
    // The bound in the message is that of the metadata.
    ...(utf8Length(message) > MAX_ERROR_MESSAGE ? [tooLong(`${path}.message`, MAX_STATUS_BYTES)] : []),
    ...(errorCode < 0 ? [invalidValue(`${path}.errorCode`, errorCode, inclusiveRange(0, 2_147_483_647))] : []),
  ];
}

function checkAttachmentStatus({ status }: VolumeAttachment): StatusCause[] {
  const metadata = Object.entries(status?.attachmentMetadata ?? {});
  const bytes = metadata.reduce((sum, [key, value]) => sum + utf8Length(key) + utf8Length(value), 0);
  return [
    ...(bytes > MAX_STATUS_BYTES ? [tooLong("status.attachmentMetadata", MAX_STATUS_BYTES)] : []),
    ...checkAttachmentError(status?.attachError, "status.attachError"),
    ...checkAttachmentError(status?.detachError, "status.detachError"),
  ];
}

function checkAttachment(attachment: VolumeAttachment): StatusCause[] {
  const { spec } = attachment;
  const { attacher, nodeName = "", source = {} } = spec ?? {};
  const { persistentVolumeName: volume, inlineVolumeSpec: inline } = source;
  const causes = checkDriverName(attacher, "spec.attacher");
  const one = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
  if (volume === undefined && inline === undefined) causes.push(required("spec.source", one));
  else if (volume !== undefined && inline !== undefined) causes.push(fieldForbidden("spec.source", one));
  else if (volume === "") {
    causes.push(required("spec.source.persistentVolumeName", "must specify non empty persistentVolumeName"));
  } else if (inline) causes.push(...checkInlineVolumeSpec(inline, "spec.source.inlineVolumeSpec"));
  causes.push(...checkDns1123Subdomain(nodeName).map((message) => invalidValue("spec.nodeName", nodeName, message)));
  causes.push(...checkAttachmentStatus(attachment));
  if (volume !== undefined) {
    const messages = checkDns1123Subdomain(volume);
    causes.push(...messages.map((message) => invalidValue("spec.source.persistentVolumeName", volume, message)));
  }
  return causes;
}

export const VOLUME_ATTACHMENT_STRATEGY: Strategy<VolumeAttachment> = {
  metaKeptFromStatus: "all",
  checksMetaAgain: true,
  checksMetaUpdateOnce: true,
  checksStatusAsUpdate: true,
  requiresResourceVersion: true,
  prepareForCreate: (attachment) => {
    attachment.status = { attached: false };
  },
  validate: checkAttachment,
  validateUpdate: (attachment, old) => [
    ...checkAttachment(attachment),
    ...(isEqual(attachment.spec, old.spec)
      ? []
      : [invalidValue("spec", renderInternal(attachment.spec, "VolumeAttachmentSpec"), FIELD_IMMUTABLE)]),
  ],
};
