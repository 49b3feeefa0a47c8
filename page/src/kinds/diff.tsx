// culprit diff: two results, and what became of the cycles.
import { change, count, decimals, percent, signed } from "../format";
import { Bars } from "../parts/bars";
import { Chart } from "../parts/chart";
import { Legend } from "../parts/legend";
import { useResult } from "../parts/subject";
import { Table, type Column } from "../parts/table";
import { MachineView } from "../views/machine";
import type { Kind } from "./kind";

interface Change {
  a: number;
  b: number;
  change: number;
}

interface Row extends Change {
  function: string;
  executions: Change;
  causes: Record<string, Change>;
  file?: string | null;
  line_a?: number | null;
  line_b?: number | null;
  place?: string | null; // of an instruction without a line
  text?: string | null;
}

interface Side {
  file: string;
  program: string;
  machine: string;
  complete: boolean;
  instructions: number;
  cycles: number;
}

export interface Diff {
  a: Side;
  b: Side;
  setup: { what: string; a: string; b: string }[];
  change: number;
  causes: Record<string, Change>;
  legend: { causes: Record<string, string> };
  functions: Row[];
  lines: Row[];
  costs: { method: string; class: string; a: number; b: number; interval_a: number; interval_b: number; noise: boolean }[];
}

const useDiff = (): Diff => useResult() as unknown as Diff;
const bySize = <R extends Change>(rows: R[]): R[] => [...rows].sort((x, y) => Math.abs(y.change) - Math.abs(x.change));

function figures<R extends Change>(whole: number): Column<R>[] {
  return [
    { key: "a", title: "A", value: (r) => r.a, show: (r) => count(r.a) },
    { key: "b", title: "B", value: (r) => r.b, show: (r) => count(r.b) },
    { key: "change", title: "change", value: (r) => r.change, show: (r) => change(r.change) },
    { key: "share", title: "% of A", value: (r) => r.change / whole, show: (r) => percent(r.change, whole) },
  ];
}

const mostly = (d: Diff) => (r: Row): string => {
  const most = Object.entries(r.causes).sort((x, y) => Math.abs(y[1].change) - Math.abs(x[1].change))[0];
  return most && most[1].change ? `${d.legend.causes[most[0]]} ${change(most[1].change)}` : "";
};

function ChangeView() {
  const d = useDiff();
  const rows = bySize(Object.entries(d.causes).map(([name, c]) => ({ name, label: d.legend.causes[name]!, ...c })));
  const bar = (side: "a" | "b") => ({ label: side.toUpperCase(), whole: d.a.cycles, parts: rows.map((r) => ({ ...r, amount: r[side] })) });
  return (
    <>
      <p class="answer">
        B takes {count(Math.abs(d.change))} cycles {d.change <= 0 ? "less" : "more"} than A: {percent(Math.abs(d.change), d.a.cycles)} of A's time.
      </p>
      <Table name="What is compared" rows={[{ side: "A", ...d.a }, { side: "B", ...d.b }]} columns={[
        { key: "side", title: "run", left: true, value: (s) => s.side },
        { key: "file", title: "file", left: true, value: (s) => s.file },
        { key: "program", title: "program", left: true, value: (s) => s.program },
        { key: "machine", title: "machine", left: true, value: (s) => s.machine },
        { key: "instructions", title: "instructions", value: (s) => s.instructions, show: (s) => count(s.instructions) },
        { key: "cycles", title: "cycles", value: (s) => s.cycles, show: (s) => count(s.cycles) },
      ]} />
      {d.setup.length > 0 && (
        <>
          <h3>What differs in how they were made</h3>
          <Table name="Setup" rows={d.setup} columns={[
            { key: "what", title: "what", left: true, value: (s) => s.what },
            { key: "a", title: "A", left: true, value: (s) => s.a },
            { key: "b", title: "B", left: true, value: (s) => s.b },
          ]} />
        </>
      )}
      <Chart title="Cycles by cause" note="Both in percent of A's time." legend={<Legend entries={rows} />}>
        <Bars label="Cycles by cause" bars={[bar("a"), bar("b")]} />
      </Chart>
      <Table name="Causes" rows={rows} columns={[{ key: "cause", title: "cause", left: true, value: (r) => r.label }, ...figures<(typeof rows)[number]>(d.a.cycles)]} />
    </>
  );
}

const executions: Column<Row> = { key: "executions", title: "executions", help: "change", value: (r) => r.executions.change,
  show: (r) => (r.executions.change ? change(r.executions.change) : "same") };
const cause = (d: Diff): Column<Row> => ({ key: "mostly", title: "mostly", left: true, value: mostly(d) });

function FunctionsOfDiff() {
  const d = useDiff();
  return <Table name="Functions" rows={bySize(d.functions)} columns={[
    { key: "function", title: "function", left: true, value: (r) => r.function }, ...figures<Row>(d.a.cycles), cause(d), executions]} />;
}

const place = (r: Row) => r.place ?? `${r.file ?? "?"}:${r.line_b ?? r.line_a ?? "?"}`;

function LinesOfDiff() {
  const d = useDiff();
  return <Table name="Lines" rows={bySize(d.lines)} columns={[
    { key: "line", title: "line", left: true, value: place }, ...figures<Row>(d.a.cycles), cause(d),
    { key: "text", title: "source", left: true, value: (r) => r.text ?? "", show: (r) => <code>{r.text}</code> },
    { key: "function", title: "function", left: true, value: (r) => r.function }]} />;
}

function CostsOfDiff() {
  const d = useDiff();
  return (
    <>
      <p class="note">Percent of each run's own time. Noise: the intervals of sampling are wider than the difference.</p>
      <Table name="Costs" rows={d.costs} columns={[
        { key: "method", title: "method", left: true, value: (c) => c.method },
        { key: "class", title: "class", left: true, value: (c) => c.class },
        { key: "a", title: "A, %", value: (c) => c.a, show: (c) => decimals(c.a, 1) },
        { key: "b", title: "B, %", value: (c) => c.b, show: (c) => decimals(c.b, 1) },
        { key: "change", title: "change, points", value: (c) => c.b - c.a, show: (c) => signed(c.b - c.a) + (c.noise ? " (noise)" : "") },
      ]} />
    </>
  );
}

export function diffKind(result: unknown): Kind {
  const d = result as Diff;
  const subject = `${d.a.file} and ${d.b.file}`;
  return {
    subject,
    heading: <>{d.a.file} <span class="on">and</span> {d.b.file}</>,
    summary: <>{change(d.change)} cycles, {percent(Math.abs(d.change), d.a.cycles)} of A's {count(d.a.cycles)}</>,
    views: [
      { name: "change", title: "Change", question: "What became of the cycles?", has: true, needs: "", body: ChangeView },
      { name: "functions", title: "Functions", question: "In which function?", has: d.functions.length > 0, needs: "results with functions", body: FunctionsOfDiff },
      { name: "lines", title: "Lines", question: "In which line?", has: d.lines.length > 0, needs: "results made with --json-code 0", body: LinesOfDiff },
      { name: "costs", title: "Costs", question: "What does each class cost?", has: d.costs.length > 0, needs: "results made with --with graph", body: CostsOfDiff },
      { name: "machine", title: "Command", question: "How to do it again?", has: true, needs: "", body: MachineView },
    ],
  };
}
