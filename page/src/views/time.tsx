// The stack over time: slices of the run, and the stack of an interval that is chosen by dragging or by two sliders.
import { scaleLinear } from "d3-scale";
import { useRef } from "preact/hooks";
import { colour } from "../colours";
import type { Amounts, Phases, Result } from "../data";
import { byAmount, count, isLittle, percent, short, sum } from "../format";
import { Bars } from "../parts/bars";
import { Chart } from "../parts/chart";
import { Legend } from "../parts/legend";
import { useResult } from "../parts/subject";
import { Table } from "../parts/table";
import { apart, type Tick } from "../parts/ticks";
import { useWidth } from "../parts/width";
import { amend, useFragment } from "../state";

const LEFT = 52;
const HEIGHT = 240;
const IPC_HEIGHT = 80;

interface Span { from: number; to: number } // slices, both included

// Steps of a band between two heights, slice by slice.
function band(p: Phases, x: (cycle: number) => number, low: number[], high: number[], y: (share: number) => number): string {
  const there: string[] = [];
  const back: string[] = [];
  p.first.forEach((first, i) => {
    const a = x(first).toFixed(1);
    const b = x(first + p.cycles[i]!).toFixed(1);
    there.push(`${a},${y(high[i]!).toFixed(1)} ${b},${y(high[i]!).toFixed(1)}`);
    back.unshift(`${b},${y(low[i]!).toFixed(1)} ${a},${y(low[i]!).toFixed(1)}`);
  });
  return `M${there.join(" L")} L${back.join(" L")} Z`;
}

function order(p: Phases): number[] {
  const totals = p.by_cause.map((column) => column.reduce((a, b) => a + b, 0));
  return p.causes.map((_, i) => i).filter((i) => totals[i]! > 0)
    .sort((a, b) => (a === 0 ? -1 : b === 0 ? 1 : totals[b]! - totals[a]!));
}

function Drawing({ p, r, span, pick }: { p: Phases; r: Result; span: Span; pick: (s: Span) => void }) {
  const [box, width] = useWidth();
  const from = useRef<number | null>(null);
  const x = scaleLinear([0, r.cycles], [LEFT, width - 8]);
  const y = scaleLinear([0, 1], [HEIGHT, 4]);
  const ipcs = p.instructions.map((n, i) => n / p.cycles[i]!);
  const z = scaleLinear([0, Math.max(0.1, ...ipcs)], [HEIGHT + 26 + IPC_HEIGHT, HEIGHT + 26]);
  const low = p.cycles.map(() => 0);
  const bands = order(p).map((cause) => {
    const start = [...low];
    p.by_cause[cause]!.forEach((n, i) => { low[i]! += n / p.cycles[i]!; });
    return { cause: p.causes[cause]!, path: band(p, x, start, [...low], y) };
  });
  const sliceAt = (event: PointerEvent) => {
    const svg = (event.currentTarget as Element).getBoundingClientRect();
    const cycle = x.invert(event.clientX - svg.left);
    let at = 0;
    while (at + 1 < p.first.length && p.first[at + 1]! <= cycle) at++;
    return at;
  };
  const spanTo = (at: number) => pick({ from: Math.min(from.current!, at), to: Math.max(from.current!, at) });
  const down = (e: PointerEvent) => {
    (e.currentTarget as Element).setPointerCapture(e.pointerId);
    from.current = sliceAt(e);
  };
  const left = x(p.first[span.from]!);
  const right = x(p.first[span.to]! + p.cycles[span.to]!);
  const bottom = HEIGHT + 26 + IPC_HEIGHT;
  const ticks = x.ticks(Math.max(2, Math.min(8, width / 90))).map((t): Tick => ({
    at: x(t), text: short(t), anchor: t === 0 ? "start" : x(t) > width - 40 ? "end" : "middle" }));
  return (
    <div ref={box}>
      <svg width={width} height={bottom + 22} role="img" class="brush" aria-label="Causes of cycles over the run, and IPC below"
        onPointerDown={down} onPointerMove={(e) => from.current !== null && spanTo(sliceAt(e))}
        onPointerUp={(e) => { if (from.current !== null) spanTo(sliceAt(e)); from.current = null; }}>
        {[0, 0.5, 1].map((t) => <text key={t} x={LEFT - 6} y={y(t) + (t === 1 ? 8 : 4)} text-anchor="end" class="tick">{t * 100}%</text>)}
        {bands.map((b) => <path key={b.cause} d={b.path} style={{ fill: colour(b.cause) }}><title>{r.legend.causes[b.cause]}</title></path>)}
        <text x={LEFT - 6} y={HEIGHT + 34} text-anchor="end" class="tick">{z.domain()[1]!.toFixed(1)}</text>
        <text x={LEFT - 6} y={bottom} text-anchor="end" class="tick">0 IPC</text>
        <path d={`M${p.first.map((f, i) => `${x(f).toFixed(1)},${z(ipcs[i]!).toFixed(1)} ${x(f + p.cycles[i]!).toFixed(1)},${z(ipcs[i]!).toFixed(1)}`).join(" L")}`}
          class="line" />
        <text x={LEFT - 6} y={bottom + 17} text-anchor="end" class="tick">cycle</text>
        {apart(ticks).map((t) => <text key={t.text} x={t.at} y={bottom + 17} text-anchor={t.anchor} class="tick">{t.text}</text>)}
        {(span.from > 0 || span.to < p.first.length - 1) && (
          <g>
            <rect x={LEFT} y={4} width={Math.max(0, left - LEFT)} height={bottom - 4} class="veil" />
            <rect x={right} y={4} width={Math.max(0, width - 8 - right)} height={bottom - 4} class="veil" />
            <path d={`M${left},0 V${bottom} M${right},0 V${bottom}`} class="edge" />
          </g>
        )}
      </svg>
    </div>
  );
}

function Sliders({ p, span, pick }: { p: Phases; span: Span; pick: (s: Span) => void }) {
  const last = p.first.length - 1;
  const value = (e: Event) => Number((e.target as HTMLInputElement).value);
  return (
    <div class="controls">
      <label>from slice <input type="range" min={0} max={last} value={span.from}
        onInput={(e) => pick({ from: Math.min(value(e), span.to), to: span.to })} /></label>
      <label>to slice <input type="range" min={0} max={last} value={span.to}
        onInput={(e) => pick({ from: span.from, to: Math.max(value(e), span.from) })} /></label>
      <button type="button" onClick={() => pick({ from: 0, to: last })}>Whole run</button>
    </div>
  );
}

export function TimeView() {
  const r = useResult();
  const { keys } = useFragment();
  const p = r.phases!;
  const last = p.first.length - 1;
  const within = (text: string | undefined, otherwise: number) =>
    Math.max(0, Math.min(last, text !== undefined && /^\d+$/.test(text) ? Number(text) : otherwise));
  const from = within(keys.from, 0);
  const span = { from, to: Math.max(from, within(keys.to, last)) };
  const pick = (s: Span) => amend({ from: s.from || undefined, to: s.to === last ? undefined : s.to });
  const amounts: Amounts = {};
  p.causes.forEach((name, c) => {
    amounts[name] = p.by_cause[c]!.slice(span.from, span.to + 1).reduce((a, b) => a + b, 0);
  });
  const cycles = sum(amounts);
  const instructions = p.instructions.slice(span.from, span.to + 1).reduce((a, b) => a + b, 0);
  const rows = byAmount(amounts);
  const whole = r.causes ?? {};
  return (
    <>
      <Chart title="Causes over time" note={`${p.first.length} slices of about ${count(p.slice)} cycles. Drag over the picture to choose an interval.`}
        legend={<Legend entries={order(p).map((c) => ({ name: p.causes[c]!, label: r.legend.causes[p.causes[c]!],
          share: p.by_cause[c]!.reduce((a, b) => a + b, 0) / r.cycles }))} />}>
        <Drawing p={p} r={r} span={span} pick={pick} />
      </Chart>
      <Sliders p={p} span={span} pick={pick} />
      <Chart title={`Cycles ${count(p.first[span.from]!)} to ${count(p.first[span.to]! + p.cycles[span.to]! - 1)}`}
        note={`${count(cycles)} cycles (${percent(cycles, r.cycles)} of the run), ${count(instructions)} instructions, IPC ${(instructions / cycles).toFixed(3)}`}>
        <Bars label="Causes in the interval and in the whole run" bars={[
          { label: "interval", whole: cycles, parts: rows.map(([name, amount]) => ({ name, label: r.legend.causes[name], amount })) },
          { label: "whole run", whole: r.cycles, parts: rows.map(([name]) => ({ name, label: r.legend.causes[name], amount: whole[name] ?? 0 })) },
        ]} />
      </Chart>
      <Table name="Causes in the interval" rows={rows} little={([, n]) => isLittle(n / cycles)} columns={[
        { key: "cause", title: "cause", left: true, value: ([n]) => r.legend.causes[n] ?? n },
        { key: "cycles", title: "cycles", value: ([, a]) => a, show: ([, a]) => count(a), sum: (few) => count(sum(Object.fromEntries(few))) },
        { key: "share", title: "% of interval", value: ([, a]) => a, show: ([, a]) => percent(a, cycles),
          sum: (few) => percent(sum(Object.fromEntries(few)), cycles) },
        { key: "run", title: "% of run", value: ([n]) => whole[n] ?? 0, show: ([n]) => percent(whole[n] ?? 0, r.cycles),
          sum: (few) => percent(few.reduce((all, [n]) => all + (whole[n] ?? 0), 0), r.cycles) },
      ]} />
      <details class="data">
        <summary>All slices as a table</summary>
        <Table name="Slices" rows={p.first.map((_, i) => i)} columns={[
          { key: "first", title: "first cycle", value: (i) => p.first[i]!, show: (i) => count(p.first[i]!) },
          { key: "ipc", title: "IPC", value: (i) => p.instructions[i]! / p.cycles[i]!, show: (i) => (p.instructions[i]! / p.cycles[i]!).toFixed(2) },
          ...order(p).map((c) => ({ key: p.causes[c]!, title: r.legend.causes[p.causes[c]!] ?? p.causes[c]!,
            value: (i: number) => p.by_cause[c]![i]! / p.cycles[i]!, show: (i: number) => percent(p.by_cause[c]![i]!, p.cycles[i]!) })),
        ]} />
      </details>
    </>
  );
}
