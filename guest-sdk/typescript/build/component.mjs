// Builds a component from a plugin's source: bundles the source with the SDK, and wraps the bundle with QuickJS.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { componentize } from "componentize-qjs";
import { rolldown } from "rolldown";
import { specifier, withWorld } from "./contract.mjs";

const LOG = specifier("log");
// The extension points that the SDK supports: the contract's interface, and the plugin's function for this interface.
const POINTS = {
  "pre-filter": "preFilter",
  filter: "filter",
  "pre-score": "preScore",
  score: "score",
  normalize: "normalize",
};

/** Builds the plugin with the source file `entry`. `to` is the path of the component. */
export async function build(entry, to) {
  const interfaces = interfacesOf(await definition(entry));
  const exports = interfaces.map((name) => `export const ${camel(name)} = guest.${camel(name)};`);
  const main = `import definition from ${JSON.stringify(resolve(entry))};
    import { component } from "berth-guest/component";
    const guest = component(definition);
    ${exports.join("\n")}`;
  const jsSource = await bundle(main, entry, [LOG]);
  await withWorld(interfaces, async (witPath, world) => {
    const options = { witPath, world, jsSource, stubWasi: true, sync: true, optSize: false };
    const { component } = await componentize(options);
    mkdirSync(dirname(resolve(to)), { recursive: true });
    writeFileSync(to, component);
  });
}

/**
 * Bundles the module with the text `source` and all its imports into one module. Relative imports start at the folder
 * of `entry`. Imports in `external` stay imports.
 */
export async function bundle(source, entry, external = []) {
  const name = resolve(dirname(entry), "berth-guest-entry.ts");
  const virtual = {
    name: "entry",
    resolveId: (id) => (id === name ? id : null),
    load: (id) => (id === name ? source : null),
  };
  const bundled = await rolldown({ input: name, plugins: [virtual], external, logLevel: "warn", platform: "neutral" });
  const { output } = await bundled.generate({ format: "esm", codeSplitting: false });
  await bundled.close();
  return output[0].code;
}

/** Runs the module `entry` and returns the plugin, which is the module's default export. */
async function definition(entry) {
  const code = await bundle(`export { default } from ${JSON.stringify(resolve(entry))};`, entry);
  const { default: plugin } = await import(`data:text/javascript;base64,${Buffer.from(code).toString("base64")}`);
  if (typeof plugin?.name !== "string") throw new Error(`${entry}: its default export must be plugin({ name: … })`);
  return plugin;
}

function interfacesOf(plugin) {
  const points = Object.keys(POINTS).filter((name) => plugin[POINTS[name]] !== undefined);
  const known = Object.values(POINTS).join(", ");
  if (points.length === 0) throw new Error(`${plugin.name}: the plugin has no function; add at least one of ${known}`);
  const readsNodes = plugin.reads.some((entry) => /^(node|cluster)\./.test(entry));
  return ["plugin", ...(readsNodes ? ["snapshot"] : []), ...points];
}

function camel(name) {
  return name.replace(/-(.)/g, (_, letter) => letter.toUpperCase());
}
