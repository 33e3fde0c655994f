import { arch } from "node:process";
import { findProgram } from "../../../agent/runtime/index.ts";
import { installMissingPackages } from "../../../cli/packages.ts";

const PROGRAMS: [program: string, pkg: string][] = [
  ["qemu-system-x86_64", "qemu-system-x86"],
  ["qemu-img", "qemu-utils"],
  ["debootstrap", "debootstrap"],
  ["busybox", "busybox-static"],
  ["mke2fs", "e2fsprogs"],
  ["xz", "xz-utils"],
];

/** @throws Error on a machine whose programs cannot run in the guest */
export async function installHostPackages(): Promise<void> {
  if (arch !== "x64") throw new Error("the virtual machine runs the host's Node.js, so the host has to be x86-64");
  await installMissingPackages(PROGRAMS.filter(([program]) => !findProgram(program)).map(([, pkg]) => pkg));
}
