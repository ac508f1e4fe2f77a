// Hooks that several parts of the page use.

import { useEffect, useState } from "preact/hooks";

/** Reads again when an input changes, and keeps the last value meanwhile. Also reads every `every` milliseconds while the page is visible. */
export function useRead(reader, inputs, every) {
  const [state, setState] = useState({ loading: true });
  useEffect(() => {
    let current = true;
    let timer;
    const go = async () => {
      if (document.visibilityState === "visible") {
        try {
          const value = await reader();
          if (current) setState({ value });
        } catch (error) {
          if (current) setState((before) => ({ value: before.value, error }));
        }
      }
      if (current && every) timer = setTimeout(go, every);
    };
    setState((before) => ({ value: before.value, loading: before.value === undefined }));
    go();
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, inputs);
  return state;
}

/** The place on the page, from the part of the address after #: its segments. */
export function usePlace() {
  const parse = () => {
    const path = location.hash.replace(/^#\/?/, "");
    return { path: path.split("/").filter(Boolean).map(decodeURIComponent) };
  };
  const [place, setPlace] = useState(parse);
  useEffect(() => {
    const changed = () => setPlace(parse());
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  return place;
}

/** The address of a place. */
export const link = (...path) => `#/${path.map(encodeURIComponent).join("/")}`;

/** A time in milliseconds since 1970, from that number or from RFC 3339. */
const millis = (time) => (typeof time === "number" ? time : Date.parse(time));

/** A duration since a time, as kubectl writes it. */
export function ago(since, now) {
  const seconds = Math.max(0, Math.round((millis(now) - millis(since)) / 1000));
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 120) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours}h` : `${Math.floor(hours / 24)}d`;
}
