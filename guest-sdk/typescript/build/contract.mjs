// Generates TypeScript types from the contract in wit/, and worlds with the interfaces that a plugin exports.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { $init, generateTypes as generate } from "@bytecodealliance/jco-transpile/component";

const SDK = dirname(dirname(fileURLToPath(import.meta.url)));
const WIT = process.env.BERTH_WIT ?? join(SDK, "../../wit/0.2");
const PACKAGE = /^package (\S+);$/m;

await $init;

/** Writes the contract's TypeScript types to generated/, unless generated/ has the types of the same contract. */
export function generateTypes() {
  const source = contractSource();
  const types = join(SDK, "generated");
  const stamp = join(types, "contract.wit");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === source) return;
  rmSync(types, { recursive: true, force: true });
  // The contract is passed as text, because the generator would resolve a path in a virtual file system.
  const wit = { tag: "source", val: source };
  const options = { wit, world: "everything", guest: true, features: { tag: "list", val: [] } };
  for (const [name, bytes] of generate("contract", options)) {
    mkdirSync(dirname(join(types, name)), { recursive: true });
    writeFileSync(join(types, name), bytes);
  }
  writeFileSync(stamp, source);
}

/**
 * Calls `use` with a temporary folder that has the contract, and with the name of a world with these exports.
 * Deletes the folder when `use` has finished. Returns the result of `use`.
 */
export async function withWorld(interfaces, use) {
  const folder = mkdtempSync(join(tmpdir(), "berth-guest-"));
  try {
    for (const file of witFiles()) cpSync(join(WIT, file), join(folder, file));
    const includes = interfaces.map((name) => (name === "plugin" ? "include base;" : `include with-${name};`));
    writeFileSync(join(folder, "this.wit"), `package ${packageName()};\nworld this { ${includes.join(" ")} }\n`);
    return await use(folder, "this");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the module specifier with which a component imports an interface of the contract. */
export function specifier(name) {
  const [path, version] = packageName().split("@");
  return `${path}/${name}@${version}`;
}

function contractSource() {
  const files = witFiles().map((file) => readFileSync(join(WIT, file), "utf8").replace(PACKAGE, ""));
  return [`package ${packageName()};`, ...files].join("\n");
}

function packageName() {
  return PACKAGE.exec(readFileSync(join(WIT, "types.wit"), "utf8"))[1];
}

function witFiles() {
  return readdirSync(WIT).filter((file) => file.endsWith(".wit"));
}
