// Curves over the values of something: told apart by colour, mark and dashes. Values that are numbers and span a factor of four
// stand by their logarithm, as in the pictures of src/report/curves.c.
import { scaleLinear, scaleLog, scalePoint } from "d3-scale";
import { colour } from "../colours";
import { useWidth } from "./width";

export interface Curve {
  name: string;
  y: (number | null)[];
  marked?: number; // the value that is the default
}

const LOOKS: [string, string][] = [["memory", ""], ["bmisp", "6 3"], ["code", "2 2"], ["unit", "8 3 2 3"], ["order", ""], ["dtlb", "6 3"],
  ["limit", "2 2"], ["end", "8 3 2 3"]];
export const look = (i: number) => ({ colour: colour(LOOKS[i % LOOKS.length]![0]), dashes: LOOKS[i % LOOKS.length]![1] });
const MARKS = 20; // of more values only the default's is marked
const HEIGHT = 260;
const LEFT = 56;
const KEY = 20;

function positions(values: string[], width: number): (i: number) => number {
  const numbers = values.map(Number);
  const range: [number, number] = [LEFT, Math.max(LEFT + 80, width - 20)];
  if (values.length > 1 && numbers.every((n, i) => Number.isFinite(n) && (i === 0 || n > numbers[i - 1]!))) {
    const ends: [number, number] = [numbers[0]!, numbers.at(-1)!];
    const scale = ends[0] > 0 && ends[1] / ends[0] >= 4 ? scaleLog(ends, range) : scaleLinear(ends, range);
    return (i) => scale(numbers[i]!);
  }
  const scale = scalePoint(values.map((_, i) => i), range);
  return (i) => scale(i)!;
}

// A value whose name would touch the one before stays without.
function named(values: string[], x: (i: number) => number): number[] {
  let free = -Infinity;
  return values.map((_, i) => i).filter((i) => {
    const half = 3.6 * values[i]!.length;
    if (x(i) - half < free) return false;
    free = x(i) + half + 5;
    return true;
  });
}

function Mark({ x, y, i, filled, words }: { x: number; y: number; i: number; filled: boolean; words: string }) {
  const { colour: stroke } = look(i);
  const paint = { fill: filled ? stroke : "var(--paper)", stroke, "stroke-width": 1.5 };
  const title = <title>{words}</title>;
  if (i % 3 === 0) return <circle cx={x} cy={y} r={4} {...paint}>{title}</circle>;
  if (i % 3 === 1) return <rect x={x - 3.5} y={y - 3.5} width={7} height={7} {...paint}>{title}</rect>;
  return <path d={`M${x} ${y - 5}l4.5 8h-9z`} {...paint}>{title}</path>;
}

export function Curves({ label, x: values, xLabel, curves, digits = 3 }: {
  label: string; x: string[]; xLabel: string; curves: Curve[]; digits?: number }) {
  const [box, width] = useWidth();
  const known = curves.flatMap((c) => c.y.filter((y) => y !== null));
  const y = scaleLinear([Math.min(0, ...known), Math.max(...known, 0.001)], [HEIGHT - 44, 14]).nice(5);
  const x = positions(values, width);
  const path = (c: Curve) => c.y.map((v, i) => (v === null ? "" : `${i && c.y[i - 1] !== null ? "L" : "M"}${x(i)} ${y(v)}`)).join("");
  return (
    <div ref={box}>
      <svg width={width} height={HEIGHT + KEY * curves.length} role="img" aria-label={label}>
        {y.ticks(5).map((t) => (
          <g key={t}>
            <line x1={LEFT} x2={width - 20} y1={y(t)} y2={y(t)} class="grid" />
            <text x={LEFT - 8} y={y(t) + 4} text-anchor="end" class="tick">{t}</text>
          </g>
        ))}
        {named(values, x).map((i) => <text key={values[i]} x={x(i)} y={HEIGHT - 26} text-anchor="middle" class="tick">{values[i]}</text>)}
        <text x={(LEFT + width) / 2} y={HEIGHT - 8} text-anchor="middle" class="tick">{xLabel}</text>
        {curves.map((c, i) => (
          <g key={c.name}>
            <path d={path(c)} fill="none" stroke={look(i).colour} stroke-width={1.5} stroke-dasharray={look(i).dashes} />
            {c.y.map((v, k) => v !== null && (values.length <= MARKS || k === c.marked) && <Mark key={k} x={x(k)} y={y(v)} i={i} filled={k === c.marked}
              words={`${c.name}, ${xLabel} ${values[k]}: ${v.toFixed(digits)}`} />)}
            <line x1={LEFT} x2={LEFT + 24} y1={HEIGHT + KEY * i + 6} y2={HEIGHT + KEY * i + 6} stroke={look(i).colour} stroke-width={1.5}
              stroke-dasharray={look(i).dashes} />
            <Mark x={LEFT + 12} y={HEIGHT + KEY * i + 6} i={i} filled={false} words={c.name} />
            <text x={LEFT + 32} y={HEIGHT + KEY * i + 10} class="name">{c.name}</text>
          </g>
        ))}
      </svg>
    </div>
  );
}
