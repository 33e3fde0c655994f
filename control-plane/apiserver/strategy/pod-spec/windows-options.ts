import { invalidEach, invalidValue } from "../../../../shared/api/field-error.ts";
import { checkDns1123Subdomain } from "../../../../shared/api/names.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { WindowsSecurityContextOptions } from "../../../../shared/api/types.ts";
import { utf8Length } from "../../../../shared/api/utf8.ts";
import { type PodCheck, visitContainers } from "./context.ts";

const NETBIOS = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const WINDOWS_LABEL = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?";
const WINDOWS_DOMAIN = new RegExp(`^${WINDOWS_LABEL}(?:\\.${WINDOWS_LABEL})*$`);
const MAX_CREDENTIAL_SPEC_KIB = 64;
const MAX_DOMAIN = 256;
const MAX_USER = 104;

function checkRunAsUserName(value: string, field: string): StatusCause[] {
  const refuse = (why: string) => invalidValue(field, value, why);
  if (value === "") return [refuse("runAsUserName cannot be an empty string")];
  if (/\p{Cc}/u.test(value)) return [refuse("runAsUserName cannot contain control characters")];
  const parts = value.split("\\");
  if (parts.length > 2) return [refuse("runAsUserName cannot contain more than one backslash")];
  const domain = parts.length === 2 ? (parts[0] ?? "") : undefined;
  const user = parts[parts.length - 1] ?? "";
  const causes: StatusCause[] = [];
  if ((domain ?? "").length >= MAX_DOMAIN) {
    causes.push(refuse(`runAsUserName's Domain length must be under ${MAX_DOMAIN} characters`));
  }
  if (domain !== undefined && !NETBIOS.test(domain) && !WINDOWS_DOMAIN.test(domain)) {
    causes.push(refuse("runAsUserName's Domain doesn't match the NetBios nor the DNS format"));
  }
  if (user === "") causes.push(refuse("runAsUserName's User cannot be empty"));
  else if (user.length > MAX_USER) {
    causes.push(refuse(`runAsUserName's User length must not be longer than ${MAX_USER} characters`));
  }
  if (/^[. ]+$/.test(user)) causes.push(refuse("runAsUserName's User cannot contain only periods or spaces"));
  if (/["/\\:;|=,+*?<>@[\]]/.test(user)) {
    causes.push(refuse("runAsUserName's User cannot contain the following characters: \"/\\:;|=,+*?<>@[]"));
  }
  return causes;
}

/** What a container or pod asks for on Windows. */
export function checkWindowsOptions(options: WindowsSecurityContextOptions | undefined, path: string): StatusCause[] {
  if (!options) return [];
  const causes: StatusCause[] = [];
  const { gmsaCredentialSpecName, gmsaCredentialSpec, runAsUserName } = options;
  if (gmsaCredentialSpecName !== undefined) {
    causes.push(
      ...invalidEach(
        `${path}.gmsaCredentialSpecName`,
        gmsaCredentialSpecName,
        checkDns1123Subdomain(gmsaCredentialSpecName),
      ),
    );
  }
  if (gmsaCredentialSpec !== undefined) {
    const field = `${path}.gmsaCredentialSpec`;
    if (gmsaCredentialSpec === "") {
      causes.push(invalidValue(field, "", "gmsaCredentialSpec cannot be an empty string"));
    } else if (utf8Length(gmsaCredentialSpec) > MAX_CREDENTIAL_SPEC_KIB * 1024) {
      causes.push(
        invalidValue(field, gmsaCredentialSpec, `gmsaCredentialSpec size must be under ${MAX_CREDENTIAL_SPEC_KIB} KiB`),
      );
    }
  }
  if (runAsUserName !== undefined) causes.push(...checkRunAsUserName(runAsUserName, `${path}.runAsUserName`));
  return causes;
}

/** Host process containers: all or none, and on the host's network. */
export function checkHostProcess({ causes, spec }: PodCheck, path: string): void {
  const podValue = spec.securityContext?.windowsOptions?.hostProcess;
  let all = 0;
  let hostProcess = 0;
  for (const { container, path: containerPath } of visitContainers(spec, path)) {
    all++;
    const own = container.securityContext?.windowsOptions?.hostProcess;
    if (podValue !== undefined && own !== undefined && podValue !== own) {
      causes.push(
        invalidValue(
          `${containerPath}.securityContext.windowsOptions.hostProcess`,
          own,
          `pod hostProcess value must be identical if both are specified, was ${podValue}`,
        ),
      );
    }
    if (own ?? podValue) hostProcess++;
  }
  if (hostProcess === 0) return;
  if (hostProcess !== all) {
    causes.push(
      invalidValue(
        path,
        "",
        "If pod contains any hostProcess containers then all containers must be HostProcess containers",
      ),
    );
  }
  if (!spec.hostNetwork) {
    causes.push(
      invalidValue(`${path}.hostNetwork`, false, "hostNetwork must be true if pod contains any hostProcess containers"),
    );
  }
}
