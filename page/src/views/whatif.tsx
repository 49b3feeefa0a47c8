// "What if these were removed?": every subset of the event classes, from the dependence graph.
import { colour } from "../colours";
import type { Graph, GraphSet, Result } from "../data";
import { count, percent, signed } from "../format";
import { Bars } from "../parts/bars";
import { Chart } from "../parts/chart";
import { Scroll } from "../parts/scroll";
import { useResult } from "../parts/subject";
import { Table } from "../parts/table";
import { amend, useFragment } from "../state";

const WORDS: Record<string, string> = {
  dl1: "latency of L1 hits", win: "limits of the window", bw: "limits of width and units", bmisp: "branch mispredictions",
  dmiss: "data-cache and TLB misses", shalu: "one-cycle operations", lgalu: "long operations", imiss: "instruction-cache misses",
};

const nameOf = (classes: string[]): string => [...classes].sort().join("+");

function Matrix({ graph, classes, find, on }: { graph: Graph; classes: string[]; find: (c: string[]) => GraphSet; on: Set<string> }) {
  const share = (n: number) => (100 * n) / graph.graph_cycles;
  const most = Math.max(5, ...classes.flatMap((a) => classes.map((b) => (a === b ? 0 : Math.abs(share(find([a, b]).icost))))));
  const fill = (n: number) => {
    const part = (60 * Math.abs(n)) / most; // at most: the text keeps the theme's ink, and stays readable on it
    return `color-mix(in srgb, ${n < 0 ? "#d55e00" : "#406cd4"} ${part.toFixed(0)}%, var(--paper))`;
  };
  return (
    <Scroll name="Interactions">
      <table class="matrix">
        <caption class="unseen">Cost of each class on the diagonal, interaction of each pair, in percent of the time</caption>
        <thead>
          <tr><td />{classes.map((c) => <th key={c} scope="col">{c}</th>)}</tr>
        </thead>
        <tbody>
          {classes.map((a) => (
            <tr key={a}>
              <th scope="row">{a}</th>
              {classes.map((b) => {
                const n = share(a === b ? find([a]).cost : find([a, b]).icost);
                const words = a === b ? `cost of ${a}` : n < 0 ? "in series: removing one does part of the other's" : "in parallel: goes only with both";
                return a === b ? (
                  <td key={b} class="own" title={words}>{n.toFixed(1)}</td>
                ) : (
                  <td key={b} title={`${a}+${b}: ${words}`} class={on.has(a) && on.has(b) ? "both" : ""}
                    style={{ background: fill(n) }}>
                    {Math.abs(n) < 0.05 ? "0" : signed(n)}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function Chosen({ set, graph, singles, r }: { set: GraphSet; graph: Graph; singles: number; r: Result }) {
  const all = graph.graph_cycles;
  const together = set.cost - singles;
  return (
    <div class="answer" aria-live="polite">
      <p>
        {set.classes.length === 0 ? <>Nothing is removed: <b>{count(all)}</b> cycles.</> : <>
          Without {set.classes.map((c) => WORDS[c] ?? c).join(", ")} the program would take <b>{percent(set.cost, all)}</b> less time:{" "}
          <b>{count(set.cycles)}</b> cycles, {(all / set.cycles).toFixed(2)} times as fast, IPC {(r.instructions / set.cycles).toFixed(2)}.</>}
      </p>
      {set.classes.length > 1 && (
        <p class="note">
          One by one they would save {percent(singles, all)} in sum. Together it is {percent(Math.abs(together), all)}{" "}
          {together < 0 ? "less: they are partly in series, and removing one does part of the work of another." : "more: part of the time goes only when all of them are removed."}
        </p>
      )}
    </div>
  );
}

export function WhatIfView() {
  const r = useResult();
  const { keys } = useFragment();
  const graph = r.graph!;
  const classes = graph.sets.filter((s) => s.classes.length === 1).map((s) => s.classes[0]!);
  const byName = new Map(graph.sets.map((s) => [nameOf(s.classes), s]));
  const find = (c: string[]) => byName.get(nameOf(c)) ?? byName.get("")!;
  const on = new Set((keys.remove ?? "").split("+").filter((c) => classes.includes(c)));
  const set = find([...on]);
  const cost = (c: string) => find([c]).cost;
  const flip = (c: string) => {
    const next = new Set(on);
    if (!next.delete(c)) next.add(c);
    amend({ remove: classes.filter((k) => next.has(k)).join("+") });
  };
  const all = graph.graph_cycles;
  const gain = (c: string) => find([...on, c]).cost - set.cost;
  return (
    <>
      {!graph.base.trusted && <p class="warning">The graph&apos;s own time is {graph.base.error_percent.toFixed(1)}% off: do not trust its costs.</p>}
      <p class="note">
        All cycles here are the dependence graph&apos;s. It gives {count(all)} for this run, and the simulation counted {count(r.cycles)}:
        the graph is a model, off by {signed((100 * (all - r.cycles)) / r.cycles, 3)}%. Costs are differences within the graph.
      </p>
      <fieldset class="switches">
        <legend>Remove these</legend>
        {classes.map((c) => (
          <label key={c}>
            <input type="checkbox" checked={on.has(c)} onChange={() => flip(c)} />
            <span class="swatch" style={{ background: colour(c) }} />
            <b>{c}</b> {WORDS[c] ?? ""}
            <span class="gain">{on.has(c) ? "removed" : `${on.size ? "another " : ""}${percent(gain(c), all)}`}</span>
          </label>
        ))}
        <button type="button" onClick={() => amend({ remove: undefined })}>None</button>
      </fieldset>
      <Chosen set={set} graph={graph} r={r} singles={[...on].reduce((n, c) => n + cost(c), 0)} />
      <Chart title="Time" note="In percent of the time as it is.">
        <Bars label="Time as it is, and with the chosen classes removed" bars={[
          { label: "as it is", whole: all, parts: [{ name: "part", label: `${count(all)} cycles`, amount: all }] },
          { label: "without", whole: all, parts: [{ name: "commit", label: `${count(set.cycles)} cycles`, amount: set.cycles }] },
        ]} />
      </Chart>
      <h3>Interactions</h3>
      <p class="note">
        Percent of the time. On the diagonal: what removing the class alone brings. Elsewhere: <b class="serial">orange, negative: in series</b>,
        either of the two does; <b class="parallel">blue, positive: in parallel</b>, both have to go. The table has pairs only: for three classes or more, use the switches above.
      </p>
      <Matrix graph={graph} classes={classes} find={find} on={on} />
      <details class="data">
        <summary>All {graph.sets.length} combinations as a table</summary>
        <Table name="All combinations" rows={graph.sets} most={64} columns={[
          { key: "classes", title: "removed", left: true, value: (s) => s.classes.join("+") || "(nothing)" },
          { key: "cycles", title: "cycles", value: (s) => s.cycles, show: (s) => count(s.cycles) },
          { key: "cost", title: "saves", value: (s) => s.cost, show: (s) => percent(s.cost, all, 2) },
          { key: "icost", title: "interaction", value: (s) => s.icost, show: (s) => percent(s.icost, all, 2) },
        ]} />
      </details>
    </>
  );
}
