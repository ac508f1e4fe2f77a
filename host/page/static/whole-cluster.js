// All objects of a simulated cluster: written to a file, replaced by those of a file, and removed.

import { Confirmed, useAction } from "./actions.js";
import { importCluster, OBJECTS, resetCluster } from "./api.js";
import { useDropped } from "./drop.js";
import { html } from "./html.js";
import { useState } from "preact/hooks";

/** The export, the import and the reset of the cluster. */
export function WholeCluster() {
  const [file, setFile] = useState();
  const { run, shown, running } = useAction();
  useDropped("cluster", ([dropped]) => setFile(dropped));
  const choose = (event) => {
    setFile(event.target.files[0]);
    event.target.value = "";
  };
  const replace = () => run(async () => {
    const { report } = await importCluster(file);
    setFile(undefined);
    return html`<span class="report">${report}</span>`;
  });
  return html`<section class="form" aria-labelledby="whole-cluster"><h2 id="whole-cluster">Whole cluster</h2>
    <p class="actions"><a class="button" href=${OBJECTS} download="cluster.json">Export all objects</a>
      <${Confirmed} text="Reset" question="Remove all objects?" action=${() => run(async () => { await resetCluster(); return "All objects were removed."; })} /></p>
    <label class="block">Import: a file of an export or of kubectl get -o yaml, a capture, a snapshot of kube-scheduler-simulator, or a trace of SimKube <input type="file" disabled=${running} onChange=${choose} /></label>
    ${file && html`<p class="actions" role="group" aria-label="Import ${file.name}">Replace all objects of the cluster by those of ${file.name}?
      <button type="button" class="danger" disabled=${running} onClick=${replace}>Import</button> <button type="button" disabled=${running} onClick=${() => setFile(undefined)}>Cancel</button></p>`}
    ${running && html`<p class="muted" role="status">Replacing the objects …</p>`}${shown}
    <p class="muted">Secrets, Leases and Events are neither exported nor imported. Plugins and policy stay as they are.</p></section>`;
}
