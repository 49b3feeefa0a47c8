// Parallel coordinates: an axis stands for each dimension, and a point is a line through all of them. Dragging along an axis chooses
// the points that pass there; the fields below do the same by keyboard.
import { scaleLinear } from "d3-scale";
import { useState } from "preact/hooks";
import { look } from "../parts/curves";
import { useWidth } from "../parts/width";
import { choose, type Choice, type Dimension, type Range } from "./choice";
import type { Point } from "./data";

const TOP = 46;
const HEIGHT = 300;
const FOOT = 12;
const SIDE = 70;
const STRIP = 26;

interface Scale {
  y: (value: number | string | null) => number | null;
  range: (from: number, to: number) => Range | null; // of pixels
  ticks: [number, string][];
}

// Of many values every second, third, ... is named, so that no name covers another.
function named(words: string[], at: (i: number) => number): [number, string][] {
  const step = Math.ceil(12 / (at(1) - at(0)));
  return words.map((w, i): [number, string] => [at(i), w]).filter((_, i) => i % step === 0);
}

function scaleOfWords(words: string[]): Scale {
  const at = (i: number) => TOP + ((i + 0.5) * (HEIGHT - TOP - FOOT)) / words.length;
  return {
    y: (value) => (value === null ? null : at(words.indexOf(String(value)))),
    range: (from, to) => {
      const inside = words.filter((_, i) => at(i) >= from && at(i) <= to);
      return inside.length ? { words: inside } : null;
    },
    ticks: named(words, at),
  };
}

function scaleOfNumbers(values: number[]): Scale {
  const low = values.reduce((a, b) => Math.min(a, b), Infinity);
  const high = values.reduce((a, b) => Math.max(a, b), -Infinity);
  const room = high > low ? 0 : 0.5;
  const y = scaleLinear([low - room, high + room], [HEIGHT - FOOT, TOP]);
  const rounded = (n: number) => Number(n.toPrecision(4));
  return {
    y: (value) => (value === null ? null : y(Number(value))),
    range: (from, to) => ({ low: rounded(y.invert(to)), high: rounded(y.invert(from)) }),
    ticks: y.ticks(5).map((t) => [y(t), String(t)]),
  };
}

function scaleOf(d: Dimension, points: Point[]): Scale {
  if (d.words) return scaleOfWords(d.words);
  const known = points.map(d.of).filter((v): v is number => typeof v === "number");
  return scaleOfNumbers(known.length ? known : [0]);
}

// Points share most of their pieces, and a piece that is drawn twice looks like one drawn once: each is in the path once.
function path(points: Point[], all: Dimension[], scales: Scale[], x: (i: number) => number): string {
  const pieces = new Set<string>();
  const digits = points.length > 500 ? 0 : 1; // of pixels
  for (const p of points) {
    let before = "";
    all.forEach((d, i) => {
      const y = scales[i]!.y(d.of(p));
      const here = y === null ? "" : `${x(i).toFixed(1)} ${y.toFixed(digits)}`;
      if (before && here) pieces.add(`M${before}L${here}`);
      before = here;
    });
  }
  return [...pieces].join("");
}

function extent(range: Range, scale: Scale): [number, number] {
  if ("words" in range) {
    const at = range.words.map((w) => scale.y(w)!);
    return [Math.min(...at) - 9, Math.max(...at) + 9];
  }
  const clip = (y: number) => Math.max(TOP - 4, Math.min(HEIGHT - FOOT + 4, y));
  return [Number.isFinite(range.high) ? clip(scale.y(range.high)!) : TOP - 4, Number.isFinite(range.low) ? clip(scale.y(range.low)!) : HEIGHT - FOOT + 4];
}

const shortened = (text: string, most: number) => (text.length > most ? text.slice(0, most - 1) + "\u2026" : text);

function AxisOf({ d, scale, range, x, room }: { d: Dimension; scale: Scale; range: Range | undefined; x: number; room: number }) {
  const [drag, setDrag] = useState<[number, number] | null>(null);
  const place = (e: PointerEvent) => e.clientY - (e.currentTarget as SVGElement).ownerSVGElement!.getBoundingClientRect().top;
  const end = () => {
    if (!drag) return;
    const [from, to] = [Math.min(...drag), Math.max(...drag)];
    choose(d, to - from < 4 ? null : scale.range(from, to));
    setDrag(null);
  };
  const shown = drag ? [Math.min(...drag), Math.max(...drag)] : range ? extent(range, scale) : null;
  const letters = Math.max(6, Math.floor(room / 7.2));
  return (
    <g>
      <text x={x} y={16} text-anchor="middle" class="name">{shortened(d.title, letters)}<title>{d.title}</title></text>
      <line x1={x} x2={x} y1={TOP - 8} y2={HEIGHT - FOOT + 4} class="axis" />
      {scale.ticks.map(([y, text]) => <text key={text} x={x + 6} y={y + 4} class="tick halo">{shortened(text, letters)}</text>)}
      <rect x={x - STRIP / 2} y={20} width={STRIP} height={HEIGHT - 22} fill="transparent" class="brush" data-dimension={d.name}
        onPointerDown={(e) => { (e.currentTarget as SVGElement).setPointerCapture(e.pointerId); setDrag([place(e), place(e)]); }}
        onPointerMove={(e) => drag && setDrag([drag[0], place(e)])} onPointerUp={end} onPointerCancel={() => setDrag(null)} />
      {shown && <rect x={x - 7} y={shown[0]} width={14} height={Math.max(2, shown[1]! - shown[0]!)} class="chosen" />}
    </g>
  );
}

// What a point's line has the colour of: the first dimension of words.
export function Parallel({ all, points, choice, marked }: { all: Dimension[]; points: Point[]; choice: Choice; marked: Point | null }) {
  const [box, width] = useWidth();
  const scales = all.map((d) => scaleOf(d, points));
  const room = (width - SIDE - 60) / Math.max(1, all.length - 1);
  const x = (i: number) => 60 + i * room;
  const chosen = new Set(choice.points);
  const by = all.find((d) => d.words);
  const kinds = by?.words ?? [""];
  return (
    <div ref={box}>
      <svg width={width} height={HEIGHT} role="img" aria-label="Points as lines through their values">
        <path d={path(points.filter((p) => !chosen.has(p)), all, scales, x)} class="others" />
        {kinds.map((k, i) => (
          <path key={k} d={path(choice.points.filter((p) => !by || by.of(p) === k), all, scales, x)} fill="none" stroke={look(i).colour}
            stroke-width={1.4} opacity={choice.points.length > 200 ? 0.35 : 0.85} />
        ))}
        {marked && <path d={path([marked], all, scales, x)} fill="none" stroke="var(--ink)" stroke-width={3} />}
        {all.map((d, i) => <AxisOf key={d.name} d={d} scale={scales[i]!} range={choice.ranges.get(d.name)} x={x(i)} room={room} />)}
      </svg>
    </div>
  );
}

function NumberField({ d, range, end }: { d: Dimension; range: Range | undefined; end: "low" | "high" }) {
  const bounds = range && "low" in range ? range : { low: -Infinity, high: Infinity };
  const set = (text: string) => {
    const next = { ...bounds, [end]: text.trim() === "" || !Number.isFinite(Number(text)) ? (end === "low" ? -Infinity : Infinity) : Number(text) };
    choose(d, next.low === -Infinity && next.high === Infinity ? null : next);
  };
  return (
    <label>{end === "low" ? "from" : "to"} <input type="text" inputMode="decimal" size={6} value={Number.isFinite(bounds[end]) ? String(bounds[end]) : ""}
      onChange={(e) => set((e.target as HTMLInputElement).value)} /></label>
  );
}

function WordBoxes({ d, range }: { d: Dimension; range: Range | undefined }) {
  const on = range && "words" in range ? range.words : d.words!;
  const toggle = (word: string) => {
    const next = d.words!.filter((w) => (w === word) !== on.includes(w));
    choose(d, next.length === d.words!.length || !next.length ? null : { words: next });
  };
  return <>{d.words!.map((w) => <label key={w}><input type="checkbox" checked={on.includes(w)} onChange={() => toggle(w)} /> {w}</label>)}</>;
}

export function Fields({ all, choice }: { all: Dimension[]; choice: Choice }) {
  return (
    <details>
      <summary>Choose by values</summary>
      {all.map((d) => (
        <fieldset key={d.name} class="range">
          <legend>{d.title}</legend>
          {d.words ? <WordBoxes d={d} range={choice.ranges.get(d.name)} />
            : <><NumberField d={d} range={choice.ranges.get(d.name)} end="low" /> <NumberField d={d} range={choice.ranges.get(d.name)} end="high" /></>}
        </fieldset>
      ))}
    </details>
  );
}
