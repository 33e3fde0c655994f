export interface Taint {
  key: string;
  value?: string;
  effect: string;
}

export interface Toleration {
  key?: string;
  operator?: string;
  value?: string;
  effect?: string;
}

/** Whether one of the tolerations covers the taint (core/v1 Toleration: empty key with Exists, empty effect match all). */
export function tolerates(tolerations: Toleration[], taint: Taint): boolean {
  return tolerations.some((toleration) => {
    if (toleration.effect && toleration.effect !== taint.effect) return false;
    if (toleration.key && toleration.key !== taint.key) return false;
    if (toleration.operator === "Exists") return true;
    if (!toleration.key) return false;
    return (toleration.value ?? "") === (taint.value ?? "");
  });
}
