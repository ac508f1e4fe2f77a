// The nodes as a grid on a canvas, so that the number of elements of the page does not depend on the number of nodes.

import { html } from "./html.js";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { amount, utilization } from "./cluster.js";

/** The space between cells, in pixels. */
const GAP = 2;
/** The height of a group's title, in pixels. */
const TITLE = 22;
/** The smallest and the largest edge of a cell, in pixels. */
const [SMALLEST, LARGEST] = [6, 64];

/** The smallest edge of a cell that shows its pods, and the smallest and the largest edge of a pod, in pixels. */
const [SHOWS_PODS, SMALLEST_POD, LARGEST_POD] = [24, 2, 8];

/** Sorts nodes into groups by the value of a label. */
function grouped(nodes, key) {
  const groups = new Map();
  for (const node of nodes) {
    const value = key ? node.labels[key] ?? `without ${key}` : "";
    if (!groups.has(value)) groups.set(value, []);
    groups.get(value).push(node);
  }
  const byName = new Intl.Collator("en", { numeric: true }).compare;
  for (const members of groups.values()) members.sort((one, other) => byName(one.name, other.name));
  return [...groups].sort(([one], [other]) => byName(one, other));
}

/** The cells of all nodes, by their names: the largest edge with which the grid is at most `height` pixels high, times the zoom. */
function layout(groups, width, height, zoom) {
  const rows = (edge, size) => Math.ceil(size / Math.max(1, Math.floor((width + GAP) / (edge + GAP))));
  const title = groups.length > 1 ? TITLE : 0;
  const heightOf = (edge) => groups.reduce((sum, [, nodes]) => sum + title + rows(edge, nodes.length) * (edge + GAP) + GAP, 0);
  let edge = LARGEST;
  while (edge > SMALLEST && heightOf(edge) > height) edge -= 1;
  edge = Math.max(SMALLEST, Math.min(LARGEST * 2, Math.round(edge * zoom)));
  const columns = Math.max(1, Math.floor((width + GAP) / (edge + GAP)));
  const cells = [];
  const titles = [];
  let y = 0;
  for (const [name, nodes] of groups) {
    if (title) titles.push({ name, count: nodes.length, y });
    y += title;
    nodes.forEach((node, index) => {
      cells.push({ name: node.name, x: (index % columns) * (edge + GAP), y: y + Math.floor(index / columns) * (edge + GAP) });
    });
    y += Math.ceil(nodes.length / columns) * (edge + GAP) + GAP;
  }
  return { cells, titles, edge, columns, height: Math.max(y, 40) };
}

/** The colours of the page's theme. */
function colours(element) {
  const style = getComputedStyle(element);
  const value = (name) => style.getPropertyValue(name).trim();
  return {
    steps: [0, 1, 2, 3, 4, 5].map((step) => value(`--use-${step}`)),
    none: value("--use-none"),
    text: value("--text"),
    back: value("--back"),
    muted: value("--muted"),
    accent: value("--accent"),
    bad: value("--bad"),
  };
}

/** Draws a square for each pod of a cell. Draws none if they were too small to be seen. */
function drawPods(context, x, y, edge, pods) {
  const columns = Math.ceil(Math.sqrt(pods));
  const size = Math.min(LARGEST_POD, Math.floor((edge - 6) / columns) - 1);
  if (size < SMALLEST_POD) return;
  for (let pod = 0; pod < pods; pod += 1) {
    context.fillRect(x + 3 + (pod % columns) * (size + 1), y + 3 + Math.floor(pod / columns) * (size + 1), size, size);
  }
}

function draw(canvas, nodes, { cells, titles, edge, height }, width, resource, selected, found) {
  const scale = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const context = canvas.getContext("2d");
  context.scale(scale, scale);
  const colour = colours(canvas);
  context.font = "12px system-ui, sans-serif";
  context.fillStyle = colour.text;
  for (const { name, count, y } of titles) context.fillText(`${name} (${count})`, 1, y + 15);
  for (const { name, x, y } of cells) {
    const node = nodes.get(name);
    if (!node) continue;
    const part = utilization(node, resource);
    // 0 for an empty node, 1 up to a fifth, 5 from four fifths on.
    const step = part === undefined ? undefined : Math.min(5, Math.ceil(part * 5));
    context.globalAlpha = found && !found.has(name) ? 0.15 : 1;
    context.fillStyle = step === undefined ? colour.none : colour.steps[step];
    context.fillRect(x, y, edge, edge);
    if (edge >= SHOWS_PODS && node.requested.pods > 0) {
      // The three dark steps of a theme contrast with its background.
      context.fillStyle = (step ?? 0) < 3 ? colour.text : colour.back;
      context.globalAlpha *= 0.6;
      drawPods(context, x, y, edge, node.requested.pods);
      context.globalAlpha /= 0.6;
    }
    if (!node.ready || node.unschedulable) {
      context.strokeStyle = node.ready ? colour.muted : colour.bad;
      context.lineWidth = Math.max(1, edge / 12);
      context.beginPath();
      context.moveTo(x + 1, y + edge - 1);
      context.lineTo(x + edge - 1, y + 1);
      context.stroke();
    }
    if (name === selected) {
      context.strokeStyle = colour.accent;
      context.lineWidth = 2;
      context.strokeRect(x, y, edge, edge);
    }
  }
  context.globalAlpha = 1;
}

/** Describes a node in a sentence, for a screen reader and as a tooltip. */
export function described(node, resource) {
  const part = utilization(node, resource);
  const use = part === undefined
    ? `has no ${resource}`
    : `${amount(resource, node.requested[resource] ?? 0)} of ${amount(resource, node.allocatable[resource])} ${resource} requested, ${Math.round(part * 100)} %`;
  const state = [node.ready ? "" : ", not ready", node.unschedulable ? ", cordoned" : ""].join("");
  return `${node.name}: ${use}, ${node.requested.pods ?? 0} pods${state}`;
}

/** The grid. The arrow keys move between nodes; Enter opens one. */
export function Grid({ cluster, version, resource, group, search, zoom, selected, select }) {
  const box = useRef();
  const canvas = useRef();
  const [size, setSize] = useState({ width: 0, height: 0 });
  // The node that was selected last. The address changes later than the keys come.
  const latest = useRef();
  useEffect(() => {
    latest.current = selected;
  }, [selected]);
  const [hint, setHint] = useState();
  const [theme, setTheme] = useState(0);
  useLayoutEffect(() => {
    const measure = () => setSize({ width: box.current.clientWidth, height: Math.max(200, window.innerHeight - box.current.getBoundingClientRect().top - window.scrollY - 60) });
    const observer = new ResizeObserver(measure);
    observer.observe(box.current);
    measure();
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const dark = window.matchMedia("(prefers-color-scheme: dark)");
    const change = () => setTheme((count) => count + 1);
    dark.addEventListener("change", change);
    return () => dark.removeEventListener("change", change);
  }, []);
  // Sorting the nodes takes the most time, and most changes keep the order.
  const groups = useMemo(() => grouped(cluster.nodes.values(), group), [cluster.labelsVersion, group]);
  const plan = useMemo(
    () => size.width > 0 && layout(groups, size.width, size.height, zoom),
    [groups, size.width, size.height, zoom],
  );
  const found = useMemo(() => {
    if (!search) return undefined;
    const text = search.toLowerCase();
    return new Set([...cluster.nodes.keys()].filter((name) => name.toLowerCase().includes(text)));
  }, [search, cluster.labelsVersion]);
  useEffect(() => {
    if (plan) draw(canvas.current, cluster.nodes, plan, size.width, resource, selected, found);
  }, [plan, version, resource, selected, found, theme]);

  const at = (event) => {
    const bounds = canvas.current.getBoundingClientRect();
    const [x, y] = [event.clientX - bounds.left, event.clientY - bounds.top];
    return plan.cells.find((cell) => x >= cell.x && x < cell.x + plan.edge + GAP && y >= cell.y && y < cell.y + plan.edge + GAP);
  };
  const move = (event) => {
    const cell = at(event);
    const bounds = box.current.getBoundingClientRect();
    const node = cell && cluster.nodes.get(cell.name);
    setHint(node && { text: described(node, resource), x: Math.min(event.clientX - bounds.left + 12, size.width - 260), y: event.clientY - bounds.top + 16 });
  };
  const key = (event) => {
    const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: plan.columns, ArrowUp: -plan.columns, Home: -Infinity, End: Infinity };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const index = plan.cells.findIndex((cell) => cell.name === latest.current);
    const next = plan.cells[Math.min(plan.cells.length - 1, Math.max(0, index < 0 ? 0 : index + step))];
    if (!next) return;
    latest.current = next.name;
    select(next.name);
  };
  const current = cluster.nodes.get(selected);
  return html`<div class="grid" ref=${box}>
    <canvas ref=${canvas} style=${{ width: `${size.width}px`, height: `${plan?.height ?? 40}px` }} tabindex="0" role="application"
      aria-label="Nodes, coloured by utilization. Use the arrow keys to go from node to node."
      aria-describedby="grid-node"
      onClick=${(event) => { const cell = at(event); if (cell) select(cell.name); }}
      onMouseMove=${move} onMouseLeave=${() => setHint()} onKeyDown=${key}></canvas>
    <div id="grid-node" class="unseen" aria-live="polite">${current ? described(current, resource) : ""}</div>
    ${hint && html`<div class="hint" style=${{ left: `${Math.max(0, hint.x)}px`, top: `${hint.y}px` }}>${hint.text}</div>`}
  </div>`;
}
