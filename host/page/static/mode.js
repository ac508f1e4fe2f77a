// Whether the page can change the cluster: only the present of a simulated one.

import { read } from "./api.js";

const { readOnly: always, replay } = await read("mode.json").catch(() => ({ readOnly: true }));

/** Whether the page shows a capture. The present is then the end of the capture, and nothing changes. */
export const isReplay = replay === true;

/** Whether people can only look. */
export let readOnly = always;

/** Says whether the page shows the past, which nobody can change. */
export function showsPast(past) {
  readOnly = always || past;
}
