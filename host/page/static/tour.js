// A tour of one minute: what the page shows, and where.

import { html } from "./html.js";
import { useEffect, useRef, useState } from "preact/hooks";
import { link } from "./hooks.js";

/** The steps: the place of the page, the element that is outlined, and what it is. */
const STEPS = [
  { place: [""], target: ".grid, .empty", title: "Nodes", text: "Each square is a node. The darker it is, the more of the resource its pods request. Click a node, or use the arrow keys, to see its pods." },
  { place: [""], target: ".tools", title: "Find nodes", text: "Choose another resource, group the nodes by a label, search and zoom. The address keeps these settings, so that you can send someone a link to what you see." },
  { place: [""], target: "aside section:last-child", title: "Pending pods", text: "Pods without a node, with the reason. Click a pod to see what each plugin said about each node, and which change would help." },
  { place: ["plugins"], target: ".plugins", title: "Plugins", text: "The filters and scores that decide, with their weights, failures, and the time of their calls. Try other weights: a preview shows which decisions would have been different." },
  { place: ["charts"], target: ".charts", title: "Charts", text: "Scheduling cycles, pending pods and requested resources in the last minutes." },
  { place: ["edit"], target: ".forms", title: "Edit", text: "Add nodes and pods, scale workloads, and apply YAML of any kind. kubectl sees the same cluster.", edits: true },
  { place: [""], target: ".clock", title: "Time", text: "The clock of the cluster. Pause it, run it faster, or go to the next event.", edits: true },
];

/** The tour. `close` ends it. */
export function Tour({ close, readOnly }) {
  const steps = STEPS.filter(({ edits }) => !(edits && readOnly));
  const [at, setAt] = useState(0);
  const title = useRef();
  const { place, target, ...step } = steps[at];
  useEffect(() => {
    location.hash = link(...place.filter(Boolean));
    let outlined;
    // The place is drawn after the address has changed, and may wait for the server.
    const timer = setInterval(() => {
      const found = document.querySelector(target);
      if (found === outlined) return;
      outlined?.classList.remove("tour-target");
      outlined = found;
      outlined?.classList.add("tour-target");
      outlined?.scrollIntoView({ block: "nearest" });
    }, 100);
    title.current.focus();
    return () => {
      clearInterval(timer);
      outlined?.classList.remove("tour-target");
    };
  }, [at]);
  const key = (event) => event.key === "Escape" && close();
  return html`<section class="tour" role="dialog" aria-labelledby="tour-title" onKeyDown=${key}>
    <h2 id="tour-title" tabindex="-1" ref=${title}>${step.title} <span class="muted">${at + 1} of ${steps.length}</span></h2><p>${step.text}</p>
    <p class="actions"><button type="button" disabled=${at === 0} onClick=${() => setAt(at - 1)}>Back</button>
      ${at + 1 < steps.length && html`<button type="button" onClick=${() => setAt(at + 1)}>Next</button>`}
      <button type="button" onClick=${close}>${at + 1 < steps.length ? "End the tour" : "Done"}</button></p></section>`;
}
