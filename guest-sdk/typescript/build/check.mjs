// Checks the types of a plugin's files, and runs a plugin's tests.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { bundle } from "./component.mjs";

const SDK = dirname(dirname(fileURLToPath(import.meta.url)));
const TSC = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc");

/** Throws if TypeScript finds an error in these files or in their imports. */
export function checkTypes(files) {
  const folder = mkdtempSync(join(tmpdir(), "berth-guest-"));
  try {
    const config = {
      extends: join(SDK, "tsconfig.json"),
      files: files.map((file) => resolve(file)),
      include: [],
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
    run([TSC, "--project", folder], "TypeScript found errors");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Checks the types of the files `given` and runs their tests. If empty, uses all *.test.ts of the current folder. */
export async function runTests(given) {
  const files = given.length > 0 ? given : readdirSync(".").filter((file) => file.endsWith(".test.ts"));
  if (files.length === 0) throw new Error("no *.test.ts file in this folder");
  checkTypes(files);
  const folder = mkdtempSync(join(tmpdir(), "berth-guest-"));
  try {
    const bundled = await Promise.all(
      files.map(async (file) => {
        const to = join(folder, basename(file, ".ts") + ".mjs");
        writeFileSync(to, await bundle(`import ${JSON.stringify(resolve(file))};`, file, [/^node:/]));
        return to;
      }),
    );
    run(["--test", "--test-reporter=spec", ...bundled], "tests failed");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(args, failure) {
  const { status } = spawnSync(process.execPath, args, { stdio: "inherit" });
  if (status !== 0) throw new Error(failure);
}
