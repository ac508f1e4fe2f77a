// The timeline: shows the cluster as it was at a moment of the scheduler's capture.

import { html } from "./html.js";
import { useEffect, useState } from "preact/hooks";
import { readHistory } from "./api.js";
import { isReplay } from "./mode.js";

/** The distance between two moments on the bar, in milliseconds. */
const STEP = 100;

/** The time between two looks for the first moment, in milliseconds. */
const PERIOD = 1000;

/** A moment as people read it, in UTC. */
const text = (millis) => new Date(millis).toISOString().replace("T", " ").replace(/\.\d+Z$/, "");

/** The timeline. `at` is the moment that the page shows, in milliseconds since 1970; 0 for the present, which is `now`. */
export function Timeline({ at, setAt, now }) {
  const [chosen, setChosen] = useState();
  const [value, setValue] = useState();
  const [error, setError] = useState();
  const [note, setNote] = useState("");
  useEffect(() => {
    setChosen(undefined);
    setNote("");
  }, [at]);
  useEffect(() => {
    let ended = false;
    let timer;
    const look = async () => {
      try {
        const range = await readHistory();
        if (ended) return;
        setValue(range);
        // Nothing is recorded in the first moment of a scheduler.
        if (!range.from) timer = setTimeout(look, PERIOD);
      } catch (problem) {
        if (!ended) setError(problem);
      }
    };
    look();
    return () => {
      ended = true;
      clearTimeout(timer);
    };
  }, [at]);
  if (error?.code === 404) return html`<section class="clock" aria-label="History"><span class="muted">Going back in time is not possible: ${error.message}.</span></section>`;
  if (!value?.from) return null;
  const to = Math.max(value.to, now ?? 0);
  const shown = chosen ?? (at || to);
  // The end of the bar is the present.
  const go = (moment) => setAt(moment > to - STEP ? 0 : Math.max(moment, value.from));
  const step = async (to, field, none) => {
    try {
      const found = (await readHistory(to))[field];
      if (found) setAt(found);
      else setNote(none);
    } catch (problem) {
      setNote(problem.message);
    }
  };
  return html`<section class="clock" aria-label="History"><label for="moment">History</label>
    <input id="moment" class="timeline" type="range" min=${value.from} max=${to} step=${STEP} value=${shown} aria-valuetext=${text(shown)} onInput=${(event) => setChosen(Number(event.target.value))} onChange=${(event) => go(Number(event.target.value))} />
    <time datetime=${new Date(shown).toISOString()}>${at || chosen ? text(shown) : isReplay ? "the end" : "now"}</time>
    <button type="button" onClick=${() => go((at || to) - 10_000)}>10 seconds back</button>
    <button type="button" onClick=${() => step(at || to, "previousDecision", "There is no earlier decision.")}>${at ? "Previous" : "Last"} decision</button>
    ${at > 0 && html`<button type="button" onClick=${() => step(at, "nextDecision", "There is no later decision.")}>Next decision</button>`}
    ${note && html`<span class="muted" role="status">${note}</span>`}
    ${at > 0 && html`<button type="button" onClick=${() => setAt(0)}>${isReplay ? "To the end" : "Back to the present"}</button><strong role="status">You see the past. Nothing can be changed.</strong>`}</section>`;
}
