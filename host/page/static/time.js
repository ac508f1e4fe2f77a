// The clock of a simulated cluster: stop it, run it faster, and advance it.

import { html } from "./html.js";
import { useState } from "preact/hooks";
import { changeClock, readClock } from "./api.js";
import { usePolled } from "./hooks.js";
import { Scheduling } from "./scheduling.js";

/** The speeds that the page offers: seconds of the cluster's time in a second. */
const SPEEDS = [1, 10, 60, 600];

/** The steps that the page offers, as the server reads them. */
const STEPS = [["10s", "10 seconds"], ["1m", "1 minute"], ["10m", "10 minutes"], ["1h", "1 hour"], ["24h", "1 day"]];

/** Shows the time of the cluster, and changes it. Shows nothing if the cluster has no such clock: its time is real. */
export function Clock() {
  const [clock, setClock] = usePolled(readClock);
  const [problem, setProblem] = useState("");
  const [running, setRunning] = useState(false);
  const [step, setStep] = useState("1m");
  if (!clock) return null;
  const change = async (body) => {
    setRunning(true);
    setProblem("");
    try {
      setClock(await changeClock(body));
    } catch (error) {
      setProblem(error.message);
    }
    setRunning(false);
  };
  const stopped = clock.speed === 0;
  const speeds = stopped || SPEEDS.includes(clock.speed) ? SPEEDS : [...SPEEDS, clock.speed];
  const time = clock.now.replace("T", " ").replace(/(\.\d+)?Z$/, "");
  return html`<section class="clock" aria-label="Time of the cluster">
    <time datetime=${clock.now} title="Time of the cluster, in UTC">${time}</time>
    <button type="button" disabled=${running} onClick=${() => change({ speed: stopped ? 1 : 0 })}>${stopped ? "Run" : "Pause"}</button>
    <label>Speed <select disabled=${running || stopped} value=${String(stopped ? 1 : clock.speed)} onChange=${(event) => change({ speed: Number(event.target.value) })}>${speeds.map((speed) => html`<option key=${speed} value=${String(speed)}>${speed}×</option>`)}</select></label>
    <span class="step"><label>Step <select disabled=${running} value=${step} onChange=${(event) => setStep(event.target.value)}>${STEPS.map(([duration, text]) => html`<option key=${duration} value=${duration}>${text}</option>`)}</select></label>
    <button type="button" disabled=${running} onClick=${() => change({ advance: step })}>Advance</button></span>
    <button type="button" disabled=${running} title="Advances to the next thing that happens in the cluster" onClick=${() => change({ jump: true })}>To the next event</button>
    <${Scheduling} />
    ${running && html`<span class="muted" role="status">The time advances …</span>`}
    ${problem && html`<span class="problem" role="alert">${problem}</span>`}
  </section>`;
}
