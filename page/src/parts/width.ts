// How wide an element is now; whether the window is a telephone's.
import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

export function useWidth(): [RefObject<HTMLDivElement | null>, number] {
  const box = useRef<HTMLDivElement>(null);
  const [width, set] = useState(() => Math.min(1160, Math.max(300, document.documentElement.clientWidth - 48)));
  useEffect(() => {
    const watch = new ResizeObserver(([entry]) => entry && entry.contentRect.width > 0 && set(Math.floor(entry.contentRect.width)));
    if (box.current) watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  return [box, width];
}

const PHONE = matchMedia("(max-width: 600px)");

export function useNarrow(): boolean {
  const [narrow, set] = useState(PHONE.matches);
  useEffect(() => {
    const update = () => set(PHONE.matches);
    PHONE.addEventListener("change", update);
    return () => PHONE.removeEventListener("change", update);
  }, []);
  return narrow;
}
