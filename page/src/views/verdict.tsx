// The sentences of the report, each with what it rests on, and the first picture.
import { byAmount, count, isLittle, percent, signed, sum } from "../format";
import type { Graph, Result } from "../data";
import { Bars } from "../parts/bars";
import { Chart } from "../parts/chart";
import { Legend } from "../parts/legend";
import { useResult } from "../parts/subject";
import { Table } from "../parts/table";
import { worstSpots } from "../spots";
import { fragment } from "../state";
import { width } from "./width";

// What a sentence of each place of src/report/run/verdict.def rests on.
function Evidence({ place, result: r }: { place: string; result: Result }) {
  const graph = r.graph;
  switch (place) {
    case "START":
      return <p>{r.complete ? "The cycle in which main was called first is written down as it happens." : "The run was interrupted."}</p>;
    case "FIRST":
      return (
        <>
          <p>
            Each cycle is charged to the instruction that commit waited for, and to what that instruction was doing in it, as the
            core wrote it down. The charges add up to the {count(r.cycles)} cycles exactly.
          </p>
          <Causes result={r} />
          <p><a href={fragment("stacks")}>Every row of the stack</a>, <a href={fragment("code")}>by function and line</a></p>
        </>
      );
    case "TOGETHER":
      if (graph) return <Pairs graph={graph} />;
    // fall through
    case "GAIN":
      return graph ? (
        <p>
          The dependence graph of every instruction was evaluated with each class of events removed, alone and together: 256 times.
          Its own time is {graph.base.error_percent.toFixed(2)}% off the simulated one
          {graph.base.trusted ? "." : ", which is too much to trust its costs."}{" "}
          <a href={fragment("whatif")}>Try every combination</a>
        </p>
      ) : (
        <p>This run has no dependence graph. A share of the time is no gain: what waits side by side ends together. Add <code>--with graph</code>.</p>
      );
    case "OTHERS":
      return <Next result={r} />;
    default:
      return (
        <p>
          {count(r.instructions)} instructions in {count(r.cycles)} cycles were simulated one by one; none were sampled.{" "}
          <a href={fragment("methods")}>How the methods compare</a>, <a href={fragment("machine")}>what was simulated</a>
        </p>
      );
  }
}

function Causes({ result: r }: { result: Result }) {
  const rows = byAmount(r.causes ?? {});
  return (
    <Table name="Cycles by cause" rows={rows} little={([, n]) => isLittle(n / r.cycles)} columns={[
      { key: "cause", title: "cause", left: true, value: ([name]) => r.legend.causes[name] ?? name },
      { key: "cycles", title: "cycles", value: ([, n]) => n, show: ([, n]) => count(n), sum: (few) => count(sum(Object.fromEntries(few))) },
      { key: "share", title: "% of time", value: ([, n]) => n, show: ([, n]) => percent(n, r.cycles),
        sum: (few) => percent(sum(Object.fromEntries(few)), r.cycles) },
    ]} />
  );
}

// What two classes bring together, beside what each brings alone.
function Pairs({ graph }: { graph: Graph }) {
  const all = graph.graph_cycles;
  const alone = (name: string) => graph.sets.find((s) => s.classes.length === 1 && s.classes[0] === name)?.cost ?? 0;
  const pairs = graph.sets.filter((s) => s.classes.length === 2).sort((a, b) => Math.abs(b.icost) - Math.abs(a.icost)).slice(0, 5);
  const share = (n: number) => percent(n, all);
  return (
    <>
      <p>
        Of each two classes: what removing the two together saves, less what removing each alone saves. Above 0, that part goes only when both are
        gone; below 0, either of the two takes it away. These are the largest of {graph.sets.filter((s) => s.classes.length === 2).length} pairs.{" "}
        <a href={fragment("whatif")}>All of them</a>
      </p>
      <Table name="Largest interactions" rows={pairs} columns={[
        { key: "pair", title: "two classes", left: true, value: (s) => s.classes.join(" + ") },
        { key: "first", title: "first alone", value: (s) => alone(s.classes[0]!), show: (s) => share(alone(s.classes[0]!)) },
        { key: "second", title: "second alone", value: (s) => alone(s.classes[1]!), show: (s) => share(alone(s.classes[1]!)) },
        { key: "both", title: "together", value: (s) => s.cost, show: (s) => share(s.cost) },
        { key: "more", title: "difference", value: (s) => s.icost, show: (s) => `${signed((100 * s.icost) / all)}%` },
      ]} />
    </>
  );
}

// The causes behind the largest, function by function: where they are.
function Next({ result: r }: { result: Result }) {
  const causes = byAmount(r.causes ?? {}).map(([name]) => name).filter((name) => !["commit", "pipeline", "unknown", "end"].includes(name)).slice(1, 4);
  const functions = (r.functions ?? []).filter((f) => causes.some((c) => !isLittle((f.causes[c] ?? 0) / r.cycles)));
  return (
    <>
      <p>The same charges of each cycle, those of the next causes by function, in percent of the whole time.</p>
      <Table name="Next causes by function" rows={functions} columns={[
        { key: "function", title: "function", left: true, value: (f) => f.function },
        { key: "place", title: "its costliest line", left: true, value: (f) => f.place },
        ...causes.map((c) => ({ key: c, title: r.legend.causes[c] ?? c, value: (f: (typeof functions)[number]) => f.causes[c] ?? 0,
          show: (f: (typeof functions)[number]) => percent(f.causes[c] ?? 0, r.cycles) })),
      ]} />
    </>
  );
}

// What stands between backquotes is code.
export function Words({ text }: { text: string }) {
  return <>{text.split("`").map((part, i) => (i % 2 ? <code key={i}>{part}</code> : part))}</>;
}

function Spots({ result: r }: { result: Result }) {
  const spots = worstSpots(r);
  if (!spots.length) return null;
  return (
    <>
      <h3>Worst branches and loads</h3>
      <Table name="Worst branches and loads" rows={spots} most={10} columns={[
        { key: "kind", title: "kind", left: true, value: (s) => s.kind },
        { key: "place", title: "place", left: true, value: (s) => s.place,
          show: (s) => <a href={fragment("code", { f: s.function, l: s.line || undefined })}>{s.place}</a> },
        { key: "function", title: "function", left: true, value: (s) => s.function },
        { key: "executions", title: "executions", value: (s) => s.executions, show: (s) => count(s.executions) },
        { key: "missed", title: "% missed", help: "of a branch's executions: mispredicted; of a load's: not in the L1 data cache",
          value: (s) => s.missed / (s.executions || 1), show: (s) => percent(s.missed, s.executions) },
        { key: "share", title: "% of time", value: (s) => s.cycles, show: (s) => percent(s.cycles, r.cycles) },
      ]} />
    </>
  );
}

function mostlyOf(r: Result, f: NonNullable<Result["functions"]>[number]): string {
  const [top] = byAmount(f.causes);
  if (!top) return "";
  const rate = top[0] === "commit" ? `, ${(f.instructions / top[1]).toFixed(1)} of ${width(r)}` : "";
  return `${r.legend.causes[top[0]]} ${percent(top[1], f.cycles, 0)}${rate}`;
}

function Sentence({ rule, text, result }: { rule: string; text: string; result: Result }) {
  return (
    <li>
      <p><Words text={text} /></p>
      <details>
        <summary>How do you know?</summary>
        <Evidence place={rule.split(".")[0]!} result={result} />
      </details>
    </li>
  );
}

export function VerdictView() {
  const r = useResult();
  if (!r.verdict) return <p>A functional run has no cycles, and so no verdict: {count(r.instructions)} instructions were executed.</p>;
  const full = Math.min(r.causes?.commit ?? 0, r.instructions / width(r));
  const parts = byAmount(r.causes ?? {}).flatMap(([name, amount]) => name !== "commit"
    ? [{ name, label: r.legend.causes[name], amount }]
    : [{ name: "commit", label: "full width", amount: full }, { name: "part", label: "part width", amount: amount - full }])
    .sort((a, b) => b.amount - a.amount);
  return (
    <>
      <ol class="verdict">
        {r.verdict.map((s) => <Sentence key={s.rule} {...s} result={r} />)}
      </ol>
      <Chart title="Where the time went" note={<>
        Commit went on in {percent(r.causes?.commit ?? 0, r.cycles)} of the cycles: <i>full width</i> is what the instructions need at {width(r)} in
        a cycle, <i>part width</i> the rest.</>}
        legend={<Legend entries={parts.map((p) => ({ ...p, share: p.amount / r.cycles, text: percent(p.amount, r.cycles) }))} />}>
        <Bars label="Cycles by cause, in percent of the time" bars={[{ label: "", whole: r.cycles, parts }]} />
      </Chart>
      {r.functions && (
        <>
          <h3>Functions with most cycles</h3>
          <Table name="Functions with most cycles" rows={r.functions} little={(f) => isLittle(f.cycles / r.cycles)} columns={[
            { key: "function", title: "function", left: true, value: (f) => f.function,
              show: (f) => <a href={fragment("code", { f: f.function })}>{f.function}</a> },
            { key: "place", title: "its costliest line", left: true, value: (f) => f.place },
            { key: "share", title: "% of time", value: (f) => f.cycles, show: (f) => percent(f.cycles, r.cycles),
              sum: (few) => percent(few.reduce((n, f) => n + f.cycles, 0), r.cycles) },
            { key: "mostly", title: "mostly", left: true, value: (f) => byAmount(f.causes)[0]?.[0] ?? "", show: (f) => mostlyOf(r, f) },
            { key: "ipc", title: "IPC", value: (f) => f.instructions / f.cycles, show: (f) => (f.instructions / f.cycles).toFixed(2) },
          ]} />
        </>
      )}
      <Spots result={r} />
      {r.next && r.next.length > 0 && (
        <>
          <h3>What to run next</h3>
          <dl class="next">
            {r.next.filter((n) => !n.options.startsWith("--verbose")).map((n) => (
              <div key={n.options}>
                <dt>{n.why}</dt>
                <dd><code>{n.command ?? n.options}</code></dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </>
  );
}
