/*
 * The functions of Kubernetes' CEL environment by name, each with what it gives where that is always the same type.
 * @see kubernetes.io, "Common Expression Language in Kubernetes"; CEL's standard definitions
 */
const BY_RESULT: Record<string, string> = {
  bool: "bool matches startsWith endsWith contains isSorted isURL isQuantity isInteger isLessThan isGreaterThan isIP isCIDR containsIP containsCIDR isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast isCanonical allowed errored hasValue isSemver isIP isMasked existsOne intersects equivalent",
  int: "int size getDate getDayOfMonth getDayOfWeek getDayOfYear getFullYear getHours getMilliseconds getMinutes getMonth getSeconds asInteger compareTo sign prefixLength family major minor patch",
  uint: "uint",
  double: "double asApproximateFloat",
  string:
    "string charAt lowerAscii upperAscii replace substring trim quote join format getScheme getHost getHostname getPort getEscapedPath find reason error",
  bytes: "bytes",
  duration: "duration",
  timestamp: "timestamp",
  dyn: "dyn",
  "list(string)": "findAll split",
  "net.IP": "ip",
  "net.CIDR": "cidr masked",
  "optional_type(list(string))": "validate",
};

/** What they give depends on what they are given. */
const OF_ANY_TYPE =
  "type url getQuery indexOf lastIndexOf sum min max reverse quantity add sub semver group resource subresource namespace name check path serviceAccount requestResource fieldSelector labelSelector named none of ofNonZeroValue value or orValue optMap optFlatMap distinct flatten range slice sort sortBy first last dns1123Label dns1123Subdomain dns1035Label qualifiedName dns1123LabelPrefix dns1123SubdomainPrefix dns1035LabelPrefix labelValue uri uuid byte date datetime transformList transformMap transformMapEntry all exists exists_one map filter has";

export const RESULTS: ReadonlyMap<string, string | undefined> = new Map([
  ...OF_ANY_TYPE.split(" ").map((name) => [name, undefined] as const),
  ...Object.entries(BY_RESULT).flatMap(([type, names]) => names.split(" ").map((name) => [name, type] as const)),
]);

/** Functions that stand behind such a name are not methods of a value. */
export const NAMESPACES = new Set([..."format lists optional sets strings google ip cidr url".split(" ")]);

/** Types that are values too. */
export const TYPES = new Set(
  "bool bytes double duration dyn int list map net null_type string timestamp type uint".split(" "),
);

/** Methods of a text that take another. */
export const TEXT_METHODS: ReadonlySet<string> = new Set(["contains", "endsWith", "matches", "startsWith"]);
