// Adds, replaces, reloads and removes the plugins of a simulated cluster.

import { Confirmed, useAction } from "./actions.js";
import { deletePlugin, putPlugin, readPlugins, reloadPlugin } from "./api.js";
import { useDropped } from "./drop.js";
import { html } from "./html.js";

/** The time to wait until the scheduler has checked a component, in milliseconds. */
const PATIENCE = 20_000;

/** The time between two looks, in milliseconds. */
const PERIOD = 200;

/** The name of a plugin's file without its folder. */
export const fileName = (plugin) => plugin.file.split("/").pop();

/** The state of a file: the plugin of it, as the page compares it. */
const stateOf = (plugins, file) => {
  const found = plugins.find((plugin) => !plugin.builtIn && fileName(plugin) === file);
  return { found, text: JSON.stringify([found?.digest, found?.state, found?.lastError]) };
};

/** Stores a component, waits until the scheduler has looked at it, and returns what became of it. */
async function add(file) {
  const before = stateOf((await readPlugins()).plugins, file.name);
  await putPlugin(file.name, file);
  for (const until = Date.now() + PATIENCE; Date.now() < until; await new Promise((later) => setTimeout(later, PERIOD))) {
    const { found, text } = stateOf((await readPlugins()).plugins, file.name);
    if (!found || text === before.text) continue;
    if (found.state === "refused") throw new Error(`${file.name} was refused: ${found.lastError}`);
    return found.uses.length > 0 ? `${found.name} serves.` : `${found.name} is loaded. No profile uses it.`;
  }
  return `${file.name} was stored. It is as before.`;
}

/** A place to drop components, and a field to choose them. */
export function AddPlugin() {
  const { run, shown, running } = useAction();
  const take = (files) => run(async () => {
    const said = [];
    for (const file of files) said.push(await add(file));
    return said.join(" ");
  });
  useDropped("plugin", take);
  const choose = (event) => {
    take([...event.target.files]);
    event.target.value = "";
  };
  return html`<div class="drop"><label>Add or replace a plugin: drop its .wasm file on the page, or choose it <input type="file" accept=".wasm" multiple disabled=${running} onChange=${choose} /></label>
    ${running && html`<p class="muted" role="status">Checking the component …</p>`}${shown}</div>`;
}

/** A button that deletes the file of a plugin. */
export function RemovePlugin({ plugin }) {
  const { run, shown } = useAction();
  return html`<${Confirmed} text="Remove" question="Delete the file ${fileName(plugin)}?" action=${() => run(async () => { await deletePlugin(fileName(plugin)); })} />${shown}`;
}

/** A button that replaces the instances of a plugin by new ones. */
export function ReloadPlugin({ plugin }) {
  const { run, shown, running } = useAction();
  const reload = async () => {
    await reloadPlugin(plugin.name);
    return `${plugin.name} was reloaded.`;
  };
  return html`<button type="button" disabled=${running} title="Starts the plugin again, without what it remembers" onClick=${() => run(reload)}>Reload</button>${shown}`;
}
