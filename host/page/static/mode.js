// Whether the page can change the cluster: only the present of a simulated one.

import { read } from "./api.js";

const { readOnly: always } = await read("mode.json").catch(() => ({ readOnly: true }));

/** Whether people can only look. */
export let readOnly = always;

/** Says whether the page shows the past, which nobody can change. */
export function showsPast(past) {
  readOnly = always || past;
}
