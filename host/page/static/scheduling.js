// Controls the scheduling of pods in a simulated cluster: pause it, and make one decision at a time.

import { html } from "./html.js";
import { useState } from "preact/hooks";
import { changeScheduling, readScheduling } from "./api.js";
import { link, usePolled } from "./hooks.js";

/** Pauses the scheduler, and runs single scheduling cycles. Shows nothing if the cluster has no scheduler of its own. */
export function Scheduling() {
  const [state, setState] = usePolled(readScheduling);
  const [decided, setDecided] = useState();
  const [problem, setProblem] = useState("");
  if (!state) return null;
  const change = async (body) => {
    setProblem("");
    setDecided(undefined);
    try {
      const now = await changeScheduling(body);
      setState(now);
      setDecided(now.decided);
    } catch (error) {
      setProblem(error.message);
    }
  };
  const { paused } = state;
  return html`<span class="step">
    <button type="button" title=${paused ? "Schedules pods again" : "Lets pods wait, so that you can make one decision at a time"} onClick=${() => change({ paused: !paused })}>${paused ? "Resume scheduling" : "Pause scheduling"}</button>
    ${paused && html`<button type="button" title="Runs one scheduling cycle" onClick=${() => change({ decide: true })}>Decide one pod</button>
      <span role="status">${decided && html`Decided: <a href=${link("pod", decided.namespace, decided.name)}>${decided.namespace}/${decided.name}</a>. `}${state.hasWork ? "A pod is ready for a decision." : "No pod is ready for a decision."}</span>`}
    ${problem && html`<span class="problem" role="alert">${problem}</span>`}
  </span>`;
}
