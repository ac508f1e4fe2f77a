// A list that shows its first rows, and more on request, so that a long list does not fill the page.

import { html } from "./html.js";
import { useState } from "preact/hooks";

/** The number of rows at first, and the number that a click adds. */
export const ROWS = 50;

/** A button for more rows, if rows are left. */
const more = (left, show) => left > 0 && html`<button type="button" onClick=${show}>Show ${Math.min(ROWS, left)} more of ${left}</button>`;

/** Returns the rows to show, and a button for more, if there are more. */
export function useRows(rows) {
  const [shown, setShown] = useState(ROWS);
  return [rows.slice(0, shown), more(rows.length - shown, () => setShown(shown + ROWS))];
}

/** A list of rows, with a text if there are none. */
export function Rows({ items, row, empty }) {
  const [shown, button] = useRows(items);
  if (items.length === 0) return html`<p class="muted">${empty}</p>`;
  return html`<ul class="rows">${shown.map(row)}</ul>${button}`;
}

/** A list of which the server has sent a part. `left` is the number of items that are left out, and `readMore` reads ROWS more. */
export function CutRows({ items, left, readMore, row, empty }) {
  if (items.length === 0) return html`<p class="muted">${empty}</p>`;
  return html`<ul class="rows">${items.map(row)}</ul>${more(left, readMore)}`;
}
