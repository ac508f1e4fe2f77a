// Tables whose rows are cards on a narrow screen: each cell has the name of its column above it. The style is `.cards`. The
// roles are explicit, because elements that are no part of a grid of columns lose them.

import { html } from "./html.js";

/** The names of the columns. */
export function Head({ columns }) {
  return html`<thead role="rowgroup"><tr role="row">${columns.map((name) => html`<th role="columnheader" scope="col">${name}</th>`)}</tr></thead>`;
}

/** A cell of the column with this name. */
export const cell = (column, content, style) => html`<td role="cell" data-name=${column} class=${style}>${content}</td>`;
