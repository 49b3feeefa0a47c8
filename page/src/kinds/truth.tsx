// culprit truth: what classes of events really cost, by simulating without them.
import type { Amounts } from "../data";
import { byAmount, count, percent, signed } from "../format";
import { Bars } from "../parts/bars";
import { Chart } from "../parts/chart";
import { Curves } from "../parts/curves";
import { Legend } from "../parts/legend";
import { useResult } from "../parts/subject";
import { Table } from "../parts/table";
import { MachineView } from "../views/machine";
import type { Kind } from "./kind";

interface Value {
  at?: string;
  set: string;
  cycles: number | null;
  percent: number | null;
  interaction?: string;
}

interface ScoreRow {
  name: string;
  truth_percent: number;
  method_percent: number;
  points: number;
}

export interface Truth {
  machine: string;
  program: string;
  complete: boolean;
  instructions: number;
  cycles: number | null;
  runs: { at?: string; ideal: string; cycles: number | null; failure?: string }[];
  costs: Value[];
  icosts: Value[];
  other?: number;
  commit_stack?: Amounts | null;
  reference?: Amounts | null;
  reference_inverse?: Amounts | null;
  scores?: { method: string; variant: string | null; against: string; mean: number | null; rows: ScoreRow[] }[];
  sweep?: { key: string; values: string[]; curves: { at: string; cycles: (number | null)[] }[] };
}

const useTruth = (): Truth => useResult() as unknown as Truth;

const WORDS: Record<string, string> = { parallel: "only together", serial: "one is enough", independent: "no interaction" };

function Values({ name, rows, interactions }: { name: string; rows: Value[]; interactions?: boolean }) {
  const at = rows.some((r) => r.at);
  const most = Math.max(1, ...rows.map((r) => Math.abs(r.percent ?? 0)));
  return (
    <Table name={name} rows={rows} columns={[
      ...(at ? [{ key: "at", title: "at", left: true, value: (r: Value) => r.at ?? "" }] : []),
      { key: "set", title: interactions ? "classes" : "class", left: true, value: (r) => r.set },
      { key: "cycles", title: "cycles", value: (r) => r.cycles, show: (r) => (r.cycles === null ? "not simulated" : count(r.cycles)) },
      { key: "percent", title: "% of time", value: (r) => r.percent, show: (r) => (
        <span class="level" style={{ "--part": `${(100 * Math.abs(r.percent ?? 0)) / most}%`, "--tint": (r.percent ?? 0) < 0 ? "#d55e00" : "#406cd4" }}>
          {r.percent === null ? "-" : signed(r.percent, 2)}</span>) },
      ...(interactions ? [{ key: "kind", title: "together", left: true, value: (r: Value) => `${r.interaction ?? ""}: ${WORDS[r.interaction ?? ""] ?? ""}` }] : []),
    ]} />
  );
}

function CostsView() {
  const t = useTruth();
  return (
    <>
      <p class="note">
        Each figure is a difference of simulations: of {count(t.runs.filter((r) => r.cycles !== null).length)} runs, the same program with these
        classes of events idealised. A cost is what goes when a class goes by itself.
      </p>
      <h3>Cost of each class</h3>
      <Values name="Costs" rows={t.costs} />
      {t.icosts.length > 0 && (
        <>
          <h3>Interaction costs</h3>
          <p class="note">Positive: these cycles go only when all of the set are removed. Negative: removing one of them is enough.</p>
          <Values name="Interaction costs" rows={t.icosts} interactions />
        </>
      )}
      {t.other !== undefined && t.cycles !== null && <p class="note">{count(t.other)} cycles ({percent(t.other, t.cycles)}) are explained by no row above.</p>}
    </>
  );
}

const TITLES: [keyof Truth, string, string][] = [
  ["reference", "Reference stack", "Cycles added as perfect parts become real, one by one."],
  ["reference_inverse", "Reference stack, inverse order", "The data side before the instruction side."],
  ["commit_stack", "Commit stack", "The base run by what commit waited for."],
];

function StacksOfTruth() {
  const t = useTruth();
  const there = TITLES.filter(([key]) => t[key]);
  const names = [...new Set(there.flatMap(([key]) => Object.keys(t[key] as Amounts)))];
  return (
    <>
      <Chart title="Stacks" legend={<Legend entries={names.map((name) => ({ name }))} />}>
        <Bars label="Stacks" bars={there.map(([key, title]) => ({ label: title.replace("Reference stack, ", ""), whole: t.cycles ?? 1,
          parts: Object.entries(t[key] as Amounts).map(([name, amount]) => ({ name, amount })) }))} />
      </Chart>
      {there.map(([key, title, note]) => (
        <section key={title}>
          <h3>{title}</h3>
          <p class="note">{note}</p>
          <Table name={title} rows={byAmount(t[key] as Amounts)} columns={[
            { key: "row", title: "row", left: true, value: ([n]) => n },
            { key: "cycles", title: "cycles", value: ([, n]) => n, show: ([, n]) => count(n) },
            { key: "share", title: "% of time", value: ([, n]) => n, show: ([, n]) => percent(n, t.cycles ?? 0, 2) },
          ]} />
        </section>
      ))}
    </>
  );
}

function ScoresView() {
  const t = useTruth();
  return (
    <>
      <p class="note">Percent of the time by re-simulation and by the method, and the difference in points.</p>
      {t.scores!.map((s) => (
        <section key={s.method + s.variant + s.against}>
          <h3>{s.method}{s.variant ? `: ${s.variant}` : ""}, against {s.against.replace("_", ", ")}</h3>
          {s.mean !== null && <p class="note">Mean error {s.mean.toFixed(2)} points.</p>}
          <Table name={`Score of ${s.method} ${s.variant ?? ""} ${s.against}`} rows={s.rows} columns={[
            { key: "name", title: "row", left: true, value: (r) => r.name },
            { key: "truth", title: "re-simulation, %", value: (r) => r.truth_percent, show: (r) => r.truth_percent.toFixed(2) },
            { key: "method", title: "method, %", value: (r) => r.method_percent, show: (r) => r.method_percent.toFixed(2) },
            { key: "points", title: "points", value: (r) => r.points, show: (r) => signed(r.points, 2) },
          ]} />
        </section>
      ))}
    </>
  );
}

function SweepOfTruth() {
  const { key, values, curves } = useTruth().sweep!;
  const gains = curves.map((c) => c.cycles.map((n) => (n && c.cycles[0] ? 100 * (c.cycles[0] / n - 1) : null)));
  const names = curves.map((c) => c.at || key);
  return (
    <>
      <Chart title={`Speed-up from changing ${key}`} note="In percent, against its first value.">
        <Curves label={`Speed-up from changing ${key}`} x={values} xLabel={key} digits={2}
          curves={names.map((name, i) => ({ name, y: gains[i]! }))} />
      </Chart>
      <Table name="Cycles" rows={curves.map((c, i) => ({ ...c, i }))} columns={[
        { key: "at", title: "at", left: true, value: (c) => names[c.i]! },
        ...values.map((v, x) => ({ key: v, title: v, value: (c: { cycles: (number | null)[] }) => c.cycles[x] ?? null,
          show: (c: { cycles: (number | null)[] }) => (c.cycles[x] ? count(c.cycles[x]!) : "failed") })),
      ]} />
    </>
  );
}

export function truthKind(result: unknown): Kind {
  const t = result as Truth;
  const has = { costs: t.costs.length > 0, stacks: TITLES.some(([key]) => t[key]), scores: !!t.scores?.length, sweep: !!t.sweep };
  return {
    subject: `${t.program} on ${t.machine}, re-simulated`,
    heading: <>{t.program} <span class="on">on</span> {t.machine}</>,
    summary: <>re-simulated {t.runs.length} times; {count(t.instructions)} instructions{t.cycles !== null && `, ${count(t.cycles)} cycles`}
      {!t.complete && <b> (not all simulations finished)</b>}</>,
    views: [
      { name: "costs", title: "Costs", question: "What does each class really cost?", has: has.costs, needs: "classes that were simulated", body: CostsView },
      { name: "sweep", title: "Sweep", question: "What does a value bring?", has: has.sweep, needs: "culprit truth --sweep", body: SweepOfTruth },
      { name: "stacks", title: "Stacks", question: "What did the cycles wait for?", has: has.stacks, needs: "culprit truth without --sweep", body: StacksOfTruth },
      { name: "scores", title: "Scores", question: "How right are the methods?", has: has.scores, needs: "culprit truth --score", body: ScoresView },
      { name: "machine", title: "Machine", question: "What was simulated, and how to do it again?", has: true, needs: "", body: MachineView },
    ],
  };
}
