// Hooks that several parts of the page use.

import { useEffect, useRef, useState } from "preact/hooks";
import { asksAboutPast } from "./api.js";
import { isReplay } from "./mode.js";

/** The shortest time between two reads because of `cause`, in milliseconds. In a busy cluster, it changes all the time. */
const SHORTEST = 1000;

/** Reads again when an input changes, and keeps the last value meanwhile. Also reads soon after `cause` has changed, and every `every` milliseconds while the page is visible and shows the present. */
export function useRead(reader, inputs, every, cause) {
  const [state, setState] = useState({ loading: true });
  const again = useRef();
  const readFor = useRef(cause);
  useEffect(() => {
    let current = true;
    let timer;
    let begun;
    let reading = false;
    let wanted = false;
    const later = (delay) => {
      clearTimeout(timer);
      timer = setTimeout(go, delay);
    };
    const soon = () => later(Math.max(0, begun + SHORTEST - performance.now()));
    again.current = () => {
      if (reading) wanted = true;
      else soon();
    };
    const go = async () => {
      begun = performance.now();
      reading = true;
      wanted = false;
      if (document.visibilityState === "visible") {
        try {
          const value = await reader();
          if (current) setState({ value });
        } catch (error) {
          if (current) setState((before) => ({ value: before.value, error }));
        }
      }
      reading = false;
      if (!current) return;
      if (wanted) soon();
      else if (every && !isReplay && !asksAboutPast()) later(every);
    };
    setState((before) => ({ value: before.value, loading: before.value === undefined }));
    go();
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, inputs);
  useEffect(() => {
    if (readFor.current === cause) return;
    readFor.current = cause;
    again.current();
  }, [cause]);
  return state;
}

/** How often the state of the server is read, in milliseconds. */
const PERIOD = 1000;

/** Reads a state of the server again and again while the page is visible, until the server says that it has no such state. Returns the state, and a function that replaces it. */
export function usePolled(reader) {
  const [state, setState] = useState();
  useEffect(() => {
    let current = true;
    let timer;
    const look = async () => {
      let exists = true;
      try {
        const found = document.visibilityState === "visible" ? await reader() : undefined;
        if (current && found) setState(found);
      } catch (error) {
        exists = error.code !== 404;
      }
      if (current && exists) timer = setTimeout(look, PERIOD);
    };
    look();
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, []);
  return [state, setState];
}

/** Reads the part of the address after #: the segments of its path, and the settings after ?. */
function readPlace() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  return { path: path.split("/").filter(Boolean).map(decodeURIComponent), query: new URLSearchParams(query) };
}

/** The address of a place with these settings. */
const address = (path, query) => `#/${path.map(encodeURIComponent).join("/")}${query.size > 0 ? `?${query}` : ""}`;

/** The address of a place, at the moment that the page shows. */
export function link(...path) {
  const at = readPlace().query.get("at");
  return address(path, new URLSearchParams(at ? { at } : {}));
}

/** The place on the page: its segments, and its settings. */
export function usePlace() {
  const [place, setPlace] = useState(readPlace);
  useEffect(() => {
    const changed = () => setPlace(readPlace());
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  return place;
}

/** Goes to a place, and keeps the settings of this one. */
export function goTo(...path) {
  const { query } = readPlace();
  location.hash = address(path, query);
}

/** A setting, which is in the address, so that a link shows what one sees. Returns its value, and a function that changes it. */
export function useSetting(name, initial) {
  const { query } = usePlace();
  const set = (value) => {
    const now = readPlace();
    if (value === initial) now.query.delete(name);
    else now.query.set(name, value);
    history.replaceState(null, "", address(now.path, now.query));
    dispatchEvent(new HashChangeEvent("hashchange"));
  };
  return [query.get(name) ?? initial, set];
}

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
