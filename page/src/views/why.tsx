// The stall tree as an icicle: each lost slot of commit, from cause to symptom or the other way.
import { hierarchy, partition, type HierarchyRectangularNode } from "d3-hierarchy";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ink } from "../colours";
import type { Stalls } from "../data";
import { byAmount, count, isLittle, percent } from "../format";
import { Chart } from "../parts/chart";
import { Legend } from "../parts/legend";
import { useResult } from "../parts/subject";
import { Table } from "../parts/table";
import { useWidth } from "../parts/width";
import { causeFirst, stallCause, stallColour, symptomFirst, type Twig } from "../stalls";
import { amend, useFragment } from "../state";

const ROW = 24;
const DEPTH = 14; // levels drawn below the one zoomed to
const LEAST = 1.5; // pixels

// of colours that are no cause of their own
const OTHERS: Record<string, string> = { operand: "waits for an operand", window: "window full", violation: "violation" };

type Node = HierarchyRectangularNode<Twig>;

const LEAST_LETTERS = 5; // of a label that is cut: fewer say nothing

// What there is room for, with an ellipsis where it is cut; else nothing.
function cut(text: string, room: number): string {
  if (text.length <= room) return text;
  const most = Math.floor(0.92 * room); // the ellipsis is wide, and no letter of a cut label may touch the edge
  return most > LEAST_LETTERS ? text.slice(0, most - 1).trimEnd() + "\u2026" : "";
}

const pathOf = (n: Node): string => n.ancestors().reverse().slice(1).map((a) => a.data.key).join("/");

function follow(root: Node, path: string): Node {
  let at = root;
  for (const key of path ? path.split("/") : []) {
    const next = at.children?.find((c) => c.data.key === key);
    if (!next) break;
    at = next;
  }
  return at;
}

function layout(twigs: Twig[], lost: number): Node {
  const root = hierarchy<Twig>({ key: "all", total: lost, children: twigs }, (t) => t.children);
  root.each((n) => { (n as { value?: number }).value = n.data.total; });
  return partition<Twig>()(root as never) as unknown as Node;
}

interface IcicleProps { root: Node; at: Node; names: Map<string, { label: string; meaning: string }>; search: string; lost: number; zoom: (n: Node) => void }

function Icicle({ root, at, names, search, lost, zoom }: IcicleProps) {
  const [box, width] = useWidth();
  const [focused, setFocused] = useState<Node>(at);
  const [pointed, setPointed] = useState<Node | null>(null);
  const svg = useRef<SVGSVGElement>(null);
  const moved = useRef(false);
  useEffect(() => { setFocused(at); setPointed(null); }, [at]);
  useEffect(() => {
    if (moved.current) svg.current?.querySelector<SVGElement>('[tabindex="0"]')?.focus();
    moved.current = false;
  }, [focused]);
  const scale = width / (at.x1 - at.x0);
  const above = at.ancestors().reverse();
  const below: Node[] = [];
  const visit = (n: Node) => {
    if ((n.x1 - n.x0) * scale < LEAST || n.depth > at.depth + DEPTH) return;
    below.push(n);
    n.children?.forEach(visit);
  };
  at.children?.forEach(visit);
  const shown = [...above, ...below];
  const deepest = Math.max(...shown.map((n) => n.depth));
  const words = (n: Node) => (n === root ? "all lost slots" : names.get(n.data.key)?.label ?? n.data.key);
  const found = (n: Node) => search !== "" && (words(n) + " " + n.data.key).toLowerCase().includes(search.toLowerCase());
  const step = (event: KeyboardEvent, n: Node) => {
    const beside = (by: number) => { const list = n.parent?.children ?? [n]; return list[list.indexOf(n) + by]; };
    const to = { ArrowDown: n.children?.[0], ArrowUp: n.parent, ArrowLeft: beside(-1), ArrowRight: beside(1) }[event.key];
    if (event.key === "Enter" || event.key === " ") zoom(n);
    else if (event.key === "Escape") zoom(at.parent ?? at);
    else if (to) {
      moved.current = true;
      if (shown.includes(to)) setFocused(to);
    } else return;
    event.preventDefault();
  };
  return (
    <div ref={box}>
      <svg ref={svg} width={width} height={(deepest + 1) * ROW + 2} role="group"
        aria-label="Stall tree. Arrow keys move, Enter zooms, Escape goes back" class="icicle">
        {shown.map((n) => {
          const is_above = n.depth <= at.depth;
          const left = is_above ? 0 : (n.x0 - at.x0) * scale;
          const w = is_above ? width : (n.x1 - n.x0) * scale;
          const fill = n === root ? "var(--raised)" : stallColour(n.data.key);
          const full = `${words(n)} ${percent(n.data.total, lost)}`;
          const room = Math.floor((w - 8) / 6.7);
          const text = full.length <= room ? full : cut(words(n), room);
          const meaning = names.get(n.data.key)?.meaning;
          const faint = search !== "" && !found(n) && n !== root;
          return [
            <g key={pathOf(n)} role="button" tabindex={n === focused ? 0 : -1} class={faint ? "faint" : found(n) ? "found" : ""}
              aria-label={`${full}${meaning ? ": " + meaning : ""}`} onClick={() => zoom(n === at && at.parent ? at.parent : n)}
              onKeyDown={(e) => step(e, n)} onMouseEnter={() => setPointed(n)} onFocus={() => setPointed(n)}>
              <rect x={left + 0.5} y={n.depth * ROW + 0.5} width={Math.max(0.5, w - 1)} height={ROW - 1} style={{ fill }} />
              {text && !text.endsWith("\u2026") && <text aria-hidden="true" x={left + 5} y={n.depth * ROW + 16} style={{ fill: n === root ? "var(--ink)" : ink(fill) }}>{text}</text>}
              <title>{`${full} (${count(n.data.total)} slots)${meaning ? "\n" + meaning : ""}`}</title>
            </g>,
            // beside the box: what is cut is no name of it for a screen reader
            text.endsWith("\u2026") && <text key={pathOf(n) + " cut"} aria-hidden="true" class="in" x={left + 5} y={n.depth * ROW + 16} style={{ fill: ink(fill) }}>{text}</text>,
          ];
        })}
      </svg>
      <p class="note pointed" aria-hidden="true">
        {pointed && pointed !== root ? `${pointed.ancestors().reverse().slice(1).map(words).join(" \u203a ")}: ${percent(pointed.data.total, lost)}`
          : "Point at a box: its words stand here, with what is above it."}
      </p>
    </div>
  );
}

const total = (few: [string, number][]): number => few.reduce((n, [, a]) => n + a, 0);

function Leaves({ stalls, names }: { stalls: Stalls; names: Map<string, { label: string; meaning: string }> }) {
  return (
    <Table name="Root causes" rows={byAmount(stalls.leaves)} little={([, n]) => isLittle(n / stalls.lost)} columns={[
      { key: "leaf", title: "root cause", left: true, value: ([k]) => names.get(k)?.label ?? k },
      { key: "set", title: "of", left: true, value: ([k]) => k.split(".")[0]! },
      { key: "slots", title: "slots", value: ([, n]) => n, show: ([, n]) => count(n), sum: (few) => count(total(few)) },
      { key: "share", title: "% of lost", value: ([, n]) => n, show: ([, n]) => percent(n, stalls.lost), sum: (few) => percent(total(few), stalls.lost) },
      { key: "all", title: "% of all slots", value: ([, n]) => n, show: ([, n]) => percent(n, stalls.opportunities),
        sum: (few) => percent(total(few), stalls.opportunities) },
      { key: "meaning", title: "meaning", left: true, value: ([k]) => names.get(k)?.meaning ?? "" },
    ]} />
  );
}

export function WhyView() {
  const r = useResult();
  const stalls = r.stalls!;
  const { keys } = useFragment();
  const first = keys.first === "symptom" ? "symptom" : "cause";
  const search = keys.q ?? "";
  const names = useMemo(() => new Map(stalls.types.map((t) => [`${t.set}.${t.name}`, t])), [stalls]);
  const root = useMemo(() => layout((first === "cause" ? causeFirst : symptomFirst)(stalls.tree), stalls.lost), [stalls, first]);
  const at = follow(root, keys.zoom ?? "");
  const order = (which: "cause" | "symptom") => (
    <button type="button" aria-pressed={first === which} onClick={() => amend({ first: which === "cause" ? undefined : which, zoom: undefined })}>
      {which === "cause" ? "Cause first" : "Symptom first"}
    </button>
  );
  // as causes and, of the same slots once more, as symptoms
  const kinds = new Map<string, number>();
  for (const amounts of [stalls.leaves, stalls.nodes]) {
    const sums = new Map<string, number>();
    for (const [key, n] of byAmount(amounts)) sums.set(stallCause(key), (sums.get(stallCause(key)) ?? 0) + n / stalls.lost);
    for (const [kind, n] of sums) kinds.set(kind, Math.max(n, kinds.get(kind) ?? 0));
  }
  return (
    <>
      <p class="note">
        Of {count(stalls.opportunities)} slots in which an instruction could have committed ({stalls.width} a cycle), {percent(stalls.lost, stalls.opportunities)} were lost
        {stalls.place && ` by ${stalls.place}`}. Each has a chain from its root cause to the symptom at commit.
      </p>
      <div class="controls">
        <div class="group" role="group" aria-label="Order">{order("cause")}{order("symptom")}</div>
        <label>Search <input type="search" data-search value={search} onInput={(e) => amend({ q: (e.target as HTMLInputElement).value })} /></label>
        {at !== root && <button type="button" onClick={() => amend({ zoom: undefined })}>Whole tree</button>}
      </div>
      <Chart title={first === "cause" ? "Causes, and what they showed as" : "Symptoms, and what caused them"}
        note="Click a box to zoom, click it again to go back. Width is lost slots; boxes narrower than a pixel and a half are not drawn."
        legend={<Legend entries={[...kinds].map(([name, share]) => ({ name, share, label: r.legend.causes[name] ?? OTHERS[name] ?? name }))} />}>
        <Icicle root={root} at={at} names={names} search={search} lost={stalls.lost} zoom={(n) => amend({ zoom: pathOf(n) || undefined })} />
      </Chart>
      <h3>Root causes</h3>
      <Leaves stalls={stalls} names={names} />
    </>
  );
}
