import { expect, it } from "vitest";
import { shellQuoted } from "./up.ts";

it.each([
  ["/root/.hearth/kubeconfig", "/root/.hearth/kubeconfig"],
  ["/srv/my home/kubeconfig", "'/srv/my home/kubeconfig'"],
  ["/srv/it's/kubeconfig", "'/srv/it'\\''s/kubeconfig'"],
  ["/srv/$(reboot)/kubeconfig", "'/srv/$(reboot)/kubeconfig'"],
])("%s can be pasted into a shell", (path, want) => expect(shellQuoted(path)).toBe(want));
