// The sentences of the report, each with what it rests on, and the first picture.
import { byAmount, count, percent } from "../format";
import type { Result } from "../data";
import { Bars } from "../parts/bars";
import { Chart } from "../parts/chart";
import { Legend } from "../parts/legend";
import { useResult } from "../parts/subject";
import { Table } from "../parts/table";
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
    case "GAIN":
    case "TOGETHER":
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
      return <><p>The same charges, next in size.</p><Causes result={r} /></>;
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
    <Table name="Cycles by cause" rows={rows} columns={[
      { key: "cause", title: "cause", left: true, value: ([name]) => r.legend.causes[name] ?? name },
      { key: "cycles", title: "cycles", value: ([, n]) => n, show: ([, n]) => count(n) },
      { key: "share", title: "% of time", value: ([, n]) => n, show: ([, n]) => percent(n, r.cycles) },
    ]} />
  );
}

function Sentence({ rule, text, result }: { rule: string; text: string; result: Result }) {
  return (
    <li>
      <p>{text}</p>
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
        legend={<Legend entries={parts.filter((p) => p.amount / r.cycles >= 0.0005)
          .map((p) => ({ ...p, text: percent(p.amount, r.cycles) }))} />}>
        <Bars label="Cycles by cause, in percent of the time" bars={[{ label: "", whole: r.cycles, parts }]} />
      </Chart>
      {r.functions && (
        <>
          <h3>Functions with most cycles</h3>
          <Table name="Functions with most cycles" rows={r.functions} columns={[
            { key: "function", title: "function", left: true, value: (f) => f.function,
              show: (f) => <a href={fragment("code", { f: f.function })}>{f.function}</a> },
            { key: "place", title: "its costliest line", left: true, value: (f) => f.place },
            { key: "share", title: "% of time", value: (f) => f.cycles, show: (f) => percent(f.cycles, r.cycles) },
            { key: "mostly", title: "mostly", left: true, value: (f) => byAmount(f.causes)[0]?.[0] ?? "",
              show: (f) => { const [top] = byAmount(f.causes); return top ? `${r.legend.causes[top[0]]} ${percent(top[1], f.cycles, 0)}` : ""; } },
            { key: "ipc", title: "IPC", value: (f) => f.instructions / f.cycles, show: (f) => (f.instructions / f.cycles).toFixed(2) },
          ]} />
        </>
      )}
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
