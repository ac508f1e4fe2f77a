// A list that shows its first rows, and more on request, so that a long list does not fill the page.

import { html } from "./html.js";
import { useState } from "preact/hooks";

/** The number of rows at first, and the number that a click adds. */
const ROWS = 50;

/** Returns the rows to show, and a button for more, if there are more. */
export function useRows(rows) {
  const [shown, setShown] = useState(ROWS);
  const left = rows.length - shown;
  const more = left > 0 && html`<button type="button" onClick=${() => setShown(shown + ROWS)}>Show ${Math.min(ROWS, left)} more of ${left}</button>`;
  return [rows.slice(0, shown), more];
}

/** A list of rows, with a text if there are none. */
export function Rows({ items, row, empty }) {
  const [shown, more] = useRows(items);
  if (items.length === 0) return html`<p class="muted">${empty}</p>`;
  return html`<ul class="rows">${shown.map(row)}</ul>${more}`;
}
