// Files that are dropped anywhere on the page, and the parts of the page that take them.

import { useEffect } from "preact/hooks";
import { goTo } from "./hooks.js";
import { readOnly } from "./mode.js";

/** The largest file that the YAML editor shows, in bytes. */
const MOST_TEXT = 1 << 20;

/** The first bytes of a capture, which zstd has compressed. */
const ZSTD = [0x28, 0xb5, 0x2f, 0xfd];

/** The place of the page that takes files of a kind. */
const PLACES = { plugin: "plugins", yaml: "edit", cluster: "edit" };

const EVENT = "berth-dropped";

/** The files that no part has taken yet. */
let waiting;

/** What a file is: a component, a text for the editor, or a whole cluster. */
async function kindOf(file) {
  if (file.name.endsWith(".wasm")) return "plugin";
  const first = new Uint8Array(await file.slice(0, ZSTD.length).arrayBuffer());
  const isCapture = ZSTD.every((byte, index) => first[index] === byte);
  return isCapture || file.size > MOST_TEXT ? "cluster" : "yaml";
}

/** Takes dropped files to the place for them. Returns a function that ends it. */
export function acceptDrops() {
  const over = (event) => {
    if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
  };
  const drop = async (event) => {
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length === 0) return;
    // Without this, the browser would show the file in place of the page.
    event.preventDefault();
    if (readOnly) return;
    const kind = await kindOf(files[0]);
    waiting = { kind, files };
    goTo(PLACES[kind]);
    dispatchEvent(new Event(EVENT));
  };
  addEventListener("dragover", over);
  addEventListener("drop", drop);
  return () => {
    removeEventListener("dragover", over);
    removeEventListener("drop", drop);
  };
}

/** Takes the files of a kind: those that were dropped before, and those to come. */
export function useDropped(kind, take) {
  useEffect(() => {
    const look = () => {
      if (waiting?.kind !== kind) return;
      const { files } = waiting;
      waiting = undefined;
      take(files);
    };
    look();
    addEventListener(EVENT, look);
    return () => removeEventListener(EVENT, look);
  }, []);
}
