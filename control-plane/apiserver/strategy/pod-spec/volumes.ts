import {
  duplicate,
  fieldForbidden,
  invalidEach,
  invalidValue,
  quote,
  required,
} from "../../../../shared/api/field-error.ts";
import { checkDns1123Label, checkDns1123Subdomain } from "../../../../shared/api/names.ts";
import { validateAnnotations, validateLabels } from "../../../../shared/api/object-meta.ts";
import { compareQuantities, parseQuantity, ZERO_QUANTITY } from "../../../../shared/api/quantity.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { EphemeralVolumeSource, Volume } from "../../../../shared/api/types.ts";
import { checkClaimSpec } from "../core/claim-spec.ts";
import { checkPullPolicy } from "./containers.ts";
import type { PodCheck } from "./context.ts";
import { checkDownwardFile, checkFileMode, checkKeyedVolume, checkProjected } from "./projected.ts";
import * as sources from "./volume-sources.ts";

interface SourceRule {
  name: Exclude<keyof Volume, "name">;
  /** Where upstream's path is not the field's name. */
  path?: string;
  /** Misspelt in one of upstream's messages. */
  pathWhenSecond?: string;
  check(volume: Volume, path: string, check: PodCheck): StatusCause[];
}

/** A rule that gets the source itself. */
function rule<K extends SourceRule["name"]>(
  name: K,
  check: (source: NonNullable<Volume[K]>, path: string, context: PodCheck, volume: Volume) => StatusCause[],
  paths: Pick<SourceRule, "path" | "pathWhenSecond"> = {},
): SourceRule {
  return {
    name,
    ...paths,
    check: (volume, path, context) => {
      const source = volume[name];
      return source ? check(source as NonNullable<Volume[K]>, path, context, volume) : [];
    },
  };
}

const needs =
  (...fields: string[]) =>
  (source: object, path: string) =>
    sources.requireFields(source, path, ...fields);

/** In the order in which upstream looks at them: of two sources the later one is refused. */
const RULES: SourceRule[] = [
  rule("emptyDir", ({ sizeLimit }, path) =>
    sizeLimit !== undefined && compareQuantities(parseQuantity(sizeLimit), ZERO_QUANTITY) < 0
      ? [fieldForbidden(`${path}.sizeLimit`, "SizeLimit field must be a valid resource quantity")]
      : [],
  ),
  rule("hostPath", sources.checkHostPath),
  rule("gitRepo", sources.checkGitRepo),
  rule("gcePersistentDisk", (source, path) => sources.checkPartitionedDisk(source, path, "pdName"), {
    path: "persistentDisk",
    pathWhenSecond: "gcePersistentDisk",
  }),
  rule("awsElasticBlockStore", (source, path) => sources.checkPartitionedDisk(source, path, "volumeID")),
  rule("secret", (source, path) => checkKeyedVolume(source, path, { field: "secretName", value: source.secretName })),
  rule("nfs", sources.checkNfs),
  rule("iscsi", sources.checkIscsi),
  rule("glusterfs", needs("endpoints", "path")),
  rule("flocker", sources.checkFlocker),
  rule("persistentVolumeClaim", needs("claimName")),
  rule("rbd", needs("monitors", "image")),
  rule("cinder", (source, path) => [
    ...sources.requireFields(source, path, "volumeID"),
    ...(source.secretRef && !source.secretRef.name ? [required(`${path}.secretRef.name`)] : []),
  ]),
  rule("cephfs", needs("monitors"), { pathWhenSecond: "cephFS" }),
  rule("quobyte", sources.checkQuobyte),
  rule(
    "downwardAPI",
    ({ defaultMode, items = [] }, path) => [
      ...checkFileMode(defaultMode, `${path}.defaultMode`),
      ...items.flatMap((file) => checkDownwardFile(file, path)),
    ],
    { pathWhenSecond: "downwarAPI" },
  ),
  rule("fc", sources.checkFibreChannel),
  rule("flexVolume", sources.checkFlex),
  rule("configMap", (source, path) => checkKeyedVolume(source, path, { field: "name", value: source.name })),
  rule("azureFile", needs("secretName", "shareName")),
  rule("vsphereVolume", needs("volumePath")),
  rule("photonPersistentDisk", needs("pdID")),
  rule("portworxVolume", needs("volumeID")),
  rule("azureDisk", sources.checkAzureDisk),
  rule("storageos", sources.checkStorageOs),
  rule("projected", checkProjected),
  rule("scaleIO", needs("gateway", "system", "volumeName")),
  rule("csi", sources.checkCsi),
  rule("ephemeral", checkEphemeral),
  rule("image", ({ reference, pullPolicy }, path, { isPod }) => [
    ...(isPod && !reference ? [required(`${path}.reference`)] : []),
    ...checkPullPolicy(pullPolicy, `${path}.pullPolicy`),
  ]),
];

const TEMPLATE_META_FIELDS = [
  "name",
  "generateName",
  "namespace",
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "ownerReferences",
  "finalizers",
  "managedFields",
] as const;

function checkEphemeral(source: EphemeralVolumeSource, path: string): StatusCause[] {
  const template = source.volumeClaimTemplate;
  const field = `${path}.volumeClaimTemplate`;
  if (!template) return [required(field)];
  const { metadata = {}, spec } = template;
  return [
    ...validateAnnotations(metadata.annotations, `${field}.metadata.annotations`),
    ...validateLabels(metadata.labels, `${field}.metadata.labels`),
    ...TEMPLATE_META_FIELDS.filter((name) => metadata[name] !== undefined && metadata[name] !== "").map((name) =>
      fieldForbidden(`${field}.metadata.${name}`, "cannot be set"),
    ),
    ...checkClaimSpec(spec ?? {}, `${field}.spec`),
  ];
}

function checkSource(volume: Volume, path: string, check: PodCheck): StatusCause[] {
  const causes: StatusCause[] = [];
  let count = 0;
  for (const { name, path: ownPath = name, pathWhenSecond = name, check: checkOne } of RULES) {
    if (!volume[name]) continue;
    if (count > 0) {
      causes.push(fieldForbidden(`${path}.${pathWhenSecond}`, "may not specify more than 1 volume type"));
      continue;
    }
    count++;
    causes.push(...checkOne(volume, `${path}.${ownPath}`, check));
  }
  if (volume.iscsi?.initiatorName !== undefined && `${volume.name}:${volume.iscsi.targetPortal}`.length > 64) {
    const rule =
      "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.";
    causes.push(invalidValue(`${path}.name`, volume.name, rule));
  }
  if (volume.ephemeral && check.podName && volume.name) {
    const claim = `${check.podName}-${volume.name}`;
    for (const message of checkDns1123Subdomain(claim)) {
      causes.push(invalidValue(`${path}.name`, volume.name, `PVC name ${quote(claim)}: ${message}`));
    }
  }
  if (count === 0) causes.push(required(path, "must specify a volume type"));
  return causes;
}

/** Checks all volumes; those without fault can be mounted and are put into `check.volumes`. */
export function checkVolumes(check: PodCheck, path: string): void {
  const { causes, spec, volumes, podName } = check;
  const list = spec.volumes ?? [];
  const created = new Set(
    podName ? list.filter(({ ephemeral }) => ephemeral).map(({ name }) => `${podName}-${name}`) : [],
  );
  for (const [index, volume] of list.entries()) {
    const field = `${path}[${index}]`;
    const own = checkSource(volume, field, check);
    if (!volume.name) own.push(required(`${field}.name`));
    else own.push(...invalidEach(`${field}.name`, volume.name, checkDns1123Label(volume.name)));
    if (volumes.has(volume.name)) own.push(duplicate(`${field}.name`, volume.name));
    if (own.length === 0) volumes.set(volume.name, volume);
    causes.push(...own);
    const claim = volume.persistentVolumeClaim?.claimName;
    if (claim !== undefined && created.has(claim)) {
      causes.push(
        invalidValue(
          `${field}.persistentVolumeClaim.claimName`,
          claim,
          "must not reference a PVC that gets created for an ephemeral volume",
        ),
      );
    }
  }
}
