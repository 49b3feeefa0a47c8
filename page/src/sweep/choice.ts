// Which points are chosen: those that lie within a range on each dimension that has one. Ranges are keys of the URL's fragment
// ("only.speedup=1.2..1.5", "only.machine=a|b"), so that every view has the same choice, and a choice can be linked.
import { amend, useFragment } from "../state";
import { distinct, groupOf, groups, type Point, type Sweep } from "./data";

export interface Dimension {
  name: string;
  title: string;
  words: string[] | null; // the values in order; null: numbers
  of: (p: Point) => number | string | null; // null: not known
}

export type Range = { low: number; high: number } | { words: string[] };

const PREFIX = "only.";
const MOST_CAUSES = 5;
export const isCarried = (key: string): boolean => key.startsWith(PREFIX) || key === "point";

// The parts of the CPI stack that differ most between points, by the largest difference within one program.
function movedCauses(s: Sweep): string[] {
  const spread = (cause: string): number => Math.max(0, ...groups(s.points.filter((p) => p.done)).map(([, points]) => {
    const all = points.map((p) => p.causes[cause]! / p.instructions);
    return all.length ? all.reduce((a, b) => Math.max(a, b)) - all.reduce((a, b) => Math.min(a, b)) : 0;
  }));
  return Object.keys(s.cause_labels).map((cause): [string, number] => [cause, spread(cause)])
    .filter(([, size]) => size >= 0.005).sort((a, b) => b[1] - a[1]).slice(0, MOST_CAUSES).map(([cause]) => cause);
}

export function dimensions(s: Sweep): Dimension[] {
  const words = (name: string, title: string, all: string[], of: (p: Point) => string): Dimension[] =>
    all.length > 1 ? [{ name, title, words: all, of }] : [];
  const numbers = (name: string, title: string, of: (p: Point) => number | null): Dimension =>
    ({ name, title, words: null, of: (p) => (p.done ? of(p) : null) });
  return [
    ...words("program", "program", distinct(s.points.map(groupOf)), groupOf),
    ...words("machine", "machine", distinct(s.points.map((p) => p.machine)), (p) => p.machine),
    ...s.axes.flatMap((a) => words(`axis.${a.name}`, a.name, a.values.map((v) => v.name), (p) => p.settings[a.name]!.value)),
    numbers("speedup", "speedup", (p) => p.speedup),
    numbers("cpi", "CPI", (p) => p.cpi),
    ...movedCauses(s).map((c) => numbers(`cause.${c}`, `${s.cause_labels[c]}, CPI`, (p) => p.causes[c]! / p.instructions)),
  ];
}

function parse(dimension: Dimension, text: string | undefined): Range | null {
  if (text === undefined) return null;
  if (dimension.words) return { words: text.split("|").filter((w) => dimension.words!.includes(w)) };
  const [low, high] = text.split("..").map((t) => (t === "" ? NaN : Number(t)));
  return { low: Number.isFinite(low) ? low! : -Infinity, high: Number.isFinite(high) ? high! : Infinity };
}

function print(range: Range): string {
  if ("words" in range) return range.words.join("|");
  return [range.low, range.high].map((n) => (Number.isFinite(n) ? String(n) : "")).join("..");
}

function holds(range: Range, value: number | string | null): boolean {
  if (value === null) return false;
  return "words" in range ? range.words.includes(String(value)) : Number(value) >= range.low && Number(value) <= range.high;
}

const inWords = (d: Dimension, range: Range): string =>
  "words" in range ? `${d.title} ${range.words.join(", ")}`
    : !Number.isFinite(range.high) ? `${d.title} from ${range.low}` : !Number.isFinite(range.low) ? `${d.title} to ${range.high}`
      : `${d.title} ${range.low} to ${range.high}`;

export interface Choice {
  points: Point[]; // the chosen ones
  ranges: Map<string, Range>;
  words: string; // "" = all are chosen
}

export function useChoice(s: Sweep, all: Dimension[]): Choice {
  const { keys } = useFragment();
  const bound = all.map((d): [Dimension, Range | null] => [d, parse(d, keys[PREFIX + d.name])])
    .filter((pair): pair is [Dimension, Range] => pair[1] !== null);
  return {
    points: s.points.filter((p) => bound.every(([d, range]) => holds(range, d.of(p)))),
    ranges: new Map(bound.map(([d, range]) => [d.name, range])),
    words: bound.map(([d, range]) => inWords(d, range)).join("; "),
  };
}

// null: no range on this dimension.
export function choose(dimension: Dimension, range: Range | null): void {
  amend({ [PREFIX + dimension.name]: range ? print(range) : undefined });
}

export function chooseAll(all: Dimension[]): void {
  amend(Object.fromEntries(all.map((d) => [PREFIX + d.name, undefined])));
}
