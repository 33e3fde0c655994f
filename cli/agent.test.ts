import { expect, it } from "vitest";
import { withStateDir } from "./agent.ts";
import { findHome } from "./home.ts";

const home = findHome({ HEARTH_HOME: "/srv/h" });

it.each([
  { name: "this home's node", args: ["image", "import", "a.tar"], hasJoined: true, added: true },
  { name: "another node that is named", args: ["run", "--state-dir", "/x"], hasJoined: true, added: false },
  { name: "joining, which makes a node", args: ["join", "hearth1.x"], hasJoined: true, added: false },
  { name: "a home without a node", args: ["status"], hasJoined: false, added: false },
  { name: "help", args: ["run", "--help"], hasJoined: true, added: false },
])("speaks of $name", ({ args, hasJoined, added }) => {
  expect(withStateDir(args, home, hasJoined)).toEqual(added ? [...args, "--state-dir", "/srv/h/agent"] : args);
});
