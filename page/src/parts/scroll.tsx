// A box that scrolls sideways where its content is too wide, and fades where there is more.
import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";

interface Props {
  name: string;
  pane?: boolean;
  box?: RefObject<HTMLDivElement | null>;
  children: ComponentChildren;
}

export function Scroll({ name, pane, box, children }: Props) {
  const own = useRef<HTMLDivElement>(null);
  const at = box ?? own;
  const mark = () => {
    const e = at.current;
    if (!e) return;
    e.toggleAttribute("data-more-left", e.scrollLeft > 1);
    e.toggleAttribute("data-more-right", e.scrollLeft + e.clientWidth < e.scrollWidth - 1);
  };
  useEffect(mark);
  useEffect(() => {
    const watch = new ResizeObserver(mark);
    watch.observe(at.current!);
    if (at.current!.firstElementChild) watch.observe(at.current!.firstElementChild);
    return () => watch.disconnect();
  }, []);
  return <div ref={at} class={pane ? "pane table" : "table"} role="region" aria-label={name} tabIndex={0} onScroll={mark}>{children}</div>;
}
