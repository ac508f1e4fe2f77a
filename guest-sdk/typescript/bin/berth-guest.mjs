#!/usr/bin/env node
// The command line of the SDK.
import { build } from "../build/component.mjs";
import { generateTypes } from "../build/contract.mjs";
import { checkTypes, runTests } from "../build/check.mjs";

const USAGE = `usage: berth-guest build [PLUGIN.ts] [-o PLUGIN.wasm]   types checked, then the component
       berth-guest test [FILE.test.ts…]              types checked, then the tests, all *.test.ts of this folder
       berth-guest types                             the contract's types, for editors`;

async function main([command, ...rest]) {
  generateTypes();
  switch (command) {
    case "build": {
      const output = rest.indexOf("-o");
      const to = output < 0 ? "plugin.wasm" : rest.splice(output, 2)[1];
      const [entry = "plugin.ts"] = rest;
      if (rest.length > 1 || !to) throw new Error(USAGE);
      checkTypes([entry]);
      return build(entry, to);
    }
    case "test":
      return runTests(rest);
    case "types":
      return;
    default:
      throw new Error(USAGE);
  }
}

main(process.argv.slice(2)).catch((error) => {
  console.error(`error: ${error.message}`);
  process.exitCode = 1;
});
