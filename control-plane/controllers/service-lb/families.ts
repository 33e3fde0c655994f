import type { Service } from "../../../shared/api/types.ts";
import { familyOf, type IpFamily } from "./address-pool.ts";

/** The families of a Service, its first one first; a Service from before families has that of its ClusterIP. */
export function familiesOf({ spec }: Service): IpFamily[] {
  const families = (spec?.ipFamilies ?? []).filter((family) => family === "IPv4" || family === "IPv6");
  return families.length > 0 ? families : [familyOf(spec?.clusterIP ?? "") ?? "IPv4"];
}

/** Whether addresses are enough: one of each family, or of any where a second one is only preferred. */
export function areEnough(service: Service, ips: readonly string[]): boolean {
  const families = familiesOf(service);
  const has = (family: IpFamily) => ips.some((ip) => familyOf(ip) === family);
  if (!ips.every((ip) => families.includes(familyOf(ip)!)) || ips.length > families.length) return false;
  return service.spec?.ipFamilyPolicy === "PreferDualStack" ? families.some(has) : families.every(has);
}
