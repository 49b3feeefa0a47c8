// culprit model: a prediction from a profile.
import { useState } from "preact/hooks";
import type { Amounts } from "../data";
import { count, percent } from "../format";
import { Bars } from "../parts/bars";
import { Chart } from "../parts/chart";
import { Curves } from "../parts/curves";
import { Legend } from "../parts/legend";
import { useResult } from "../parts/subject";
import { Table } from "../parts/table";
import { MachineView } from "../views/machine";
import type { Kind } from "./kind";

interface ScalingPoint {
  depth: number;
  window: number;
  time: number;
  parts: Amounts;
}

interface Scaling {
  logic: number;
  latch: number;
  base_depth: number;
  between_mispredictions: number;
  curves: { width: number; pipelined: number; points: ScalingPoint[]; best: ScalingPoint | null; formula: number | null }[];
  ramps: { width: number; rates: number[] }[];
}

export interface Model {
  machine: string;
  program: string;
  reference: string;
  model: string;
  instructions: number;
  cycles: number;
  cpi: number;
  ipc: number;
  components: Amounts;
  terms: Record<string, { component: string; count: number; penalty: number; cycles: number }>;
  parallelism: { alpha: number; beta: number; windows: { window: number; path: number; fit: number }[] };
  nearest: { structure: string; taken: string; component: string; count: number; off: number; cycles: number }[];
  nearest_cycles: number;
  foreign: null | { mean: number; nine_of_ten: number; predictions: number };
  scaling?: Scaling;
  legend: { terms?: Record<string, string> };
}

const useModel = (): Model => useResult() as unknown as Model;

function PredictionView() {
  const m = useModel();
  const terms = Object.entries(m.terms).filter(([, t]) => t.cycles !== 0 || t.count !== 0);
  return (
    <>
      {m.foreign && (
        <p class="note">
          A profile of {m.reference} tells how many accesses miss on {m.machine}, but not which. Predictions from profiles of other machines were
          off simulation's IPC by {m.foreign.mean.toFixed(1)}% in the mean and by up to {m.foreign.nine_of_ten.toFixed(1)}% in nine cases of ten.
        </p>
      )}
      <Chart title="CPI stack, predicted" legend={<Legend entries={Object.entries(m.components).map(([name, n]) => ({ name, text: percent(n, m.cycles) }))} />}>
        <Bars label="CPI stack, predicted" bars={[{ label: "", whole: m.cycles, parts: Object.entries(m.components).map(([name, amount]) => ({ name, amount })) }]} />
      </Chart>
      <Table name="Terms" rows={terms} columns={[
        { key: "term", title: "term", left: true, value: ([n]) => n },
        { key: "part", title: "part", left: true, value: ([, t]) => t.component },
        { key: "events", title: "events", value: ([, t]) => t.count, show: ([, t]) => (t.count ? count(t.count) : "") },
        { key: "penalty", title: "cycles each", value: ([, t]) => t.penalty, show: ([, t]) => (t.count ? t.penalty.toFixed(3) : "") },
        { key: "cpi", title: "CPI", value: ([, t]) => t.cycles, show: ([, t]) => (t.cycles / m.instructions).toFixed(4) },
        { key: "share", title: "%", value: ([, t]) => t.cycles, show: ([, t]) => percent(t.cycles, m.cycles, 2) },
        { key: "meaning", title: "meaning", left: true, value: ([n]) => m.legend.terms?.[n] ?? "" },
      ]} />
      {m.nearest.length > 0 && (
        <>
          <h3>Not in the profile: the nearest structure that is</h3>
          <Table name="Nearest structures" rows={m.nearest} columns={[
            { key: "structure", title: "structure", left: true, value: (n) => `${n.structure} ${n.taken}` },
            { key: "events", title: "events", value: (n) => n.count, show: (n) => `${count(n.count)} \u00b1 ${count(n.off)}` },
            { key: "share", title: "% of time", value: (n) => n.cycles, show: (n) => percent(n.cycles, m.cycles) },
          ]} />
        </>
      )}
    </>
  );
}

function ParallelismView() {
  const { alpha, beta, windows } = useModel().parallelism;
  return (
    <>
      <p class="note">
        K(W) is the longest chain of dependent instructions in a window of W, at unit latency. The fit is W^(1/beta) / alpha with
        alpha {alpha.toFixed(3)}, beta {beta.toFixed(3)}.
      </p>
      <Chart title="Instructions that could start in a cycle, W / K(W)">
        <Curves label="Parallelism" x={windows.map((w) => String(w.window))} xLabel="window W"
          curves={[{ name: "program", y: windows.map((w) => w.window / w.path) }, { name: "fit", y: windows.map((w) => w.window / w.fit) }]} />
      </Chart>
      <Table name="Parallelism" rows={windows} columns={[
        { key: "window", title: "W", value: (w) => w.window },
        { key: "path", title: "K(W)", value: (w) => w.path, show: (w) => w.path.toFixed(3) },
        { key: "fit", title: "fit", value: (w) => w.fit, show: (w) => w.fit.toFixed(3) },
        { key: "rate", title: "W / K(W)", value: (w) => w.window / w.path, show: (w) => (w.window / w.path).toFixed(3) },
      ]} />
    </>
  );
}

// The point next to the optimum.
function nearest(points: ScalingPoint[], best: ScalingPoint | null): number | undefined {
  if (!best) return undefined;
  return points.reduce((at, p, i) => (Math.abs(p.depth - best.depth) < Math.abs(points[at]!.depth - best.depth) ? i : at), 0);
}

function ScalingView() {
  const s = useModel().scaling!;
  const [pipelined, set] = useState(s.curves[0]!.pipelined);
  const shown = s.curves.filter((c) => c.pipelined === pipelined);
  const share = (f: number) => `${Math.round(100 * f)}%`;
  const longest = s.ramps.reduce((most, r) => Math.max(most, r.rates.length), 0);
  return (
    <>
      <p class="note">
        By the plain model (equation 9 of Eyerman 2009): processors of four widths, cut into more and more stages. A miss path that is pipelined takes more
        cycles with each stage, and pays its latches; one that is not takes as long at any depth. The window grows with the square of width and depth. {s.logic} FO4 of logic, {s.latch} for a
        latch; the base machine has {s.base_depth} stages.
      </p>
      <div class="controls">
        <label>Miss paths are pipelined by <select value={String(pipelined)} onChange={(e) => set(Number((e.target as HTMLSelectElement).value))}>
          {[...new Set(s.curves.map((c) => c.pipelined))].map((f) => <option key={f} value={String(f)}>{share(f)}</option>)}
        </select></label>
      </div>
      <Chart title="Time for each instruction, FO4" note="A mark: the depth next to the optimum by search.">
        <Curves label="Time over depth" x={shown[0]!.points.map((p) => String(p.depth))} xLabel="depth, stages"
          curves={shown.map((c) => ({ name: `width ${c.width}`, y: c.points.map((p) => p.time), marked: nearest(c.points, c.best) }))} />
      </Chart>
      <Table name="Optimum depths" rows={s.curves} columns={[
        { key: "width", title: "width", value: (c) => c.width },
        { key: "pipelined", title: "pipelined", value: (c) => c.pipelined, show: (c) => share(c.pipelined) },
        { key: "search", title: "optimum by search", value: (c) => c.best?.depth ?? null, show: (c) => c.best?.depth.toFixed(2) ?? "beyond 100" },
        { key: "formula", title: "by the formula", value: (c) => c.formula, show: (c) => c.formula?.toFixed(2) ?? "none" },
        { key: "time", title: "time there, FO4", value: (c) => c.best?.time ?? null, show: (c) => c.best?.time.toFixed(3) ?? "-" },
        { key: "window", title: "window there", value: (c) => c.best?.window ?? null, show: (c) => (c.best ? count(c.best.window) : "-") },
      ]} />
      <Chart title={`Instructions issued in a cycle, a misprediction every ${s.between_mispredictions} instructions`}>
        <Curves label="Issue after a misprediction" x={Array.from({ length: longest }, (_, i) => String(i + 1))} xLabel="cycles after the first instruction"
          curves={s.ramps.map((r) => ({ name: `width ${r.width}`, y: Array.from({ length: longest }, (_, i) => r.rates[i] ?? null) }))} />
      </Chart>
    </>
  );
}

export function modelKind(result: unknown): Kind {
  const m = result as Model;
  return {
    subject: `${m.program} on ${m.machine}, predicted`,
    heading: <>{m.program} <span class="on">on</span> {m.machine}</>,
    summary: <>predicted by the {m.model} interval model from a profile for {m.reference}: IPC {m.ipc.toFixed(3)}, {count(m.cycles)} cycles</>,
    views: [
      { name: "prediction", title: "Prediction", question: "What will the cycles wait for?", has: true, needs: "", body: PredictionView },
      { name: "parallelism", title: "Parallelism", question: "How much can run at once?", has: m.parallelism.windows.length > 0, needs: "", body: ParallelismView },
      { name: "scaling", title: "Scaling", question: "How deep, and how wide?", has: !!m.scaling, needs: "culprit model --scaling FILE", body: ScalingView },
      { name: "machine", title: "Machine", question: "What was predicted, and how to do it again?", has: true, needs: "", body: MachineView },
    ],
  };
}
