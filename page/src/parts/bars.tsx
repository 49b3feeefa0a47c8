// Stacked bars, one below the other, all on one scale of percent. Where a part has room, its name stands in it.
import { scaleLinear } from "d3-scale";
import { colour as colourOf, ink } from "../colours";
import { percent } from "../format";
import { apart, type Tick } from "./ticks";
import { useWidth } from "./width";

export interface Part {
  name: string;
  label?: string;
  amount: number;
  colour?: string;
}

export interface Bar {
  label: string;
  parts: Part[]; // negative ones hang to the left of 0
  whole: number;
}

const ROW = 26;
const GAP = 8;
const AXIS = 20;

function extent(bar: Bar): [number, number] {
  let low = 0;
  let high = 0;
  for (const p of bar.parts) {
    if (p.amount < 0) low += p.amount / bar.whole;
    else high += p.amount / bar.whole;
  }
  return [low, high];
}

function Segments({ bar, x, y }: { bar: Bar; x: (share: number) => number; y: number }) {
  let up = 0;
  let down = 0;
  return (
    <g>
      {bar.parts.filter((p) => p.amount !== 0).map((p) => {
        const share = p.amount / bar.whole;
        const from = share < 0 ? (down += share) : up;
        if (share > 0) up += share;
        const left = x(from);
        const width = x(from + Math.abs(share)) - left;
        const fill = p.colour ?? colourOf(p.name);
        const words = `${p.label ?? p.name} ${percent(p.amount, bar.whole)}`;
        const room = Math.floor((width - 6) / 6.6);
        const text = words.length <= room ? words : percent(p.amount, bar.whole, 0).length <= room
          ? percent(p.amount, bar.whole, 0) : "";
        return (
          <g key={p.name}>
            <rect x={left} y={y} width={Math.max(0, width)} height={ROW} fill={fill} class="part">
              <title>{`${bar.label}: ${words}`}</title>
            </rect>
            {text && <text x={left + 4} y={y + 17} style={{ fill: ink(fill) }} class="in">{text}</text>}
          </g>
        );
      })}
    </g>
  );
}

export function Bars({ bars, label }: { bars: Bar[]; label: string }) {
  const [box, width] = useWidth();
  const names = bars.some((b) => b.label !== "") ? Math.min(150, 12 + 7.2 * Math.max(...bars.map((b) => b.label.length))) : 0;
  const lows = bars.map((b) => extent(b)[0]);
  const highs = bars.map((b) => extent(b)[1]);
  const x = scaleLinear([Math.min(0, ...lows), Math.max(1, ...highs)], [names, Math.max(names + 50, width - 12)]);
  const ticks = x.ticks(5).map((t): Tick => ({ at: x(t), text: `${Math.round(t * 100)}%`, anchor: x(t) + 24 > width ? "end" : x(t) < 12 ? "start" : "middle" }));
  const height = bars.length * (ROW + GAP) + AXIS;
  return (
    <div ref={box}>
      <svg width={width} height={height} role="img" aria-label={label}>
        {ticks.map((t) => <line key={t.text} x1={t.at} x2={t.at} y1={0} y2={height - AXIS} class="grid" />)}
        {apart(ticks).map((t) => <text key={t.text} x={t.at} y={height - 5} text-anchor={t.anchor} class="tick">{t.text}</text>)}
        {bars.map((bar, i) => (
          <g key={bar.label}>
            {names > 0 && <text x={0} y={i * (ROW + GAP) + 17} class="name">{bar.label}</text>}
            <Segments bar={bar} x={x} y={i * (ROW + GAP)} />
          </g>
        ))}
      </svg>
    </div>
  );
}
