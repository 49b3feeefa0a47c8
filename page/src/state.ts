// What is shown is in the URL's fragment, "#view&key=value&...": a view can be linked, and going back works.
import { useEffect, useState } from "preact/hooks";

export interface State {
  view: string;
  keys: Record<string, string>;
}

export function parse(fragment: string): State {
  const [view, ...pairs] = fragment.replace(/^#/, "").split("&");
  const keys: Record<string, string> = {};
  for (const pair of pairs) {
    const at = pair.indexOf("=");
    if (at > 0) keys[pair.slice(0, at)] = decode(pair.slice(at + 1));
  }
  return { view: view || "verdict", keys };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function fragment(view: string, keys: Record<string, string | number | undefined> = {}): string {
  const pairs = Object.entries(keys).filter(([, value]) => value !== undefined && value !== "");
  return "#" + [view, ...pairs.map(([key, value]) => `${key}=${encodeURIComponent(String(value))}`)].join("&");
}

// Change some keys of the view that is shown; no new entry in the history, or every key stroke would be one.
export function amend(change: Record<string, string | number | undefined>): void {
  const { view, keys } = parse(location.hash);
  history.replaceState(null, "", fragment(view, { ...keys, ...change }));
  dispatchEvent(new HashChangeEvent("hashchange"));
}

export function useFragment(): State {
  const [state, set] = useState(() => parse(location.hash));
  useEffect(() => {
    const update = () => set(parse(location.hash));
    addEventListener("hashchange", update);
    return () => removeEventListener("hashchange", update);
  }, []);
  return state;
}
