// What changes the cluster on a click, and what comes of it.

import { html } from "./html.js";
import { useState } from "preact/hooks";

/** Runs an action, and shows what comes of it. */
export function useAction() {
  const [state, setState] = useState({});
  const run = async (action) => {
    setState({ running: true });
    try {
      setState({ done: await action() });
    } catch (error) {
      setState({ error: error.message });
    }
  };
  const shown = html`${state.error && html`<p class="problem" role="alert">${state.error}</p>`}${state.done && html`<p role="status">${state.done}</p>`}`;
  return { run, shown, running: state.running };
}

/** A button that asks before it acts. */
export function Confirmed({ text, question, action }) {
  const [asked, setAsked] = useState(false);
  if (!asked) return html`<button type="button" onClick=${() => setAsked(true)}>${text}</button>`;
  return html`<span role="group" aria-label=${question}>${question} <button type="button" class="danger" autofocus onClick=${() => { setAsked(false); action(); }}>${text}</button> <button type="button" onClick=${() => setAsked(false)}>Cancel</button></span>`;
}
