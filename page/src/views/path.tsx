// The critical path: what the whole time hangs on, by kind, instruction, function and line; the hottest loop's chain.
import { kindColour } from "../colours";
import type { Critical, CriticalRow } from "../data";
import { byAmount, count, decimals, isLittle, percent } from "../format";
import { Bars } from "../parts/bars";
import { Chart } from "../parts/chart";
import { Legend } from "../parts/legend";
import { useResult } from "../parts/subject";
import { Table, type Column } from "../parts/table";

function Kinds({ row, whole }: { row: CriticalRow; whole: number }) {
  const parts = byAmount(row.path_by_kind);
  if (!parts.length) return null;
  const words = parts.slice(0, 4).map(([n, a]) => `${n} ${percent(a, whole, 2)}`).join(", ");
  return (
    <span class="strip" role="img" aria-label={words} title={words}>
      {parts.map(([n, a]) => <span key={n} style={{ width: `${(100 * a) / whole}%`, background: kindColour(n) }} />)}
    </span>
  );
}

function columns(c: Critical, longest: number): Column<CriticalRow>[] {
  return [
    { key: "path", title: "% of path", value: (i) => i.path, show: (i) => percent(i.path, c.graph_cycles),
      sum: (few) => percent(few.reduce((n, i) => n + i.path, 0), c.graph_cycles) },
    { key: "kinds", title: "by kind", left: true, value: (i) => i.path, show: (i) => <Kinds row={i} whole={longest} /> },
    { key: "cost", title: "worth %", help: "the time without it", value: (i) => i.cost, show: (i) => i.cost === null ? "-" : percent(i.cost, c.graph_cycles) },
    { key: "saved", title: "1 cycle less saves", help: "percent of the time, if each execution took one cycle less", value: (i) => i.saved_by_one_cycle,
      show: (i) => i.saved_by_one_cycle === null ? "-" : percent(i.saved_by_one_cycle, c.graph_cycles) },
    { key: "slack", title: "mean slack", help: "cycles that it could be later", value: (i) => i.mean_slack, show: (i) => decimals(i.mean_slack, 1) },
    { key: "executions", title: "executions", value: (i) => i.executions, show: (i) => count(i.executions) },
  ];
}

function Loop({ c }: { c: Critical }) {
  const loop = c.hottest_loop!;
  return (
    <>
      <h3>Chain of the hottest loop</h3>
      <p class="note">
        {loop.place}{loop.line && ` (${loop.line})`}: {count(loop.iterations)} iterations, {percent(loop.path, c.graph_cycles)} of the path;{" "}
        the chain is {percent(loop.chain_path, c.graph_cycles)}. The next iteration begins with the first again.
      </p>
      <ol class="chain">
        {loop.chain.map((s, i) => (
          <li key={i}>
            <code>{s.text}</code> <span class="faint">{s.place}{s.line && ` ${s.line}`}</span>
            <b>{percent(s.path, c.graph_cycles)}</b>
            <small>{"\u2193"} {s.next} {s.next_taken !== undefined && `\u00d7 ${count(s.next_taken)}`}</small>
          </li>
        ))}
      </ol>
    </>
  );
}

export function PathView() {
  const r = useResult();
  const c = r.critical!;
  const kinds = byAmount(c.path_by_kind);
  const little = (i: CriticalRow) => isLittle(i.path / c.graph_cycles) && isLittle((i.cost ?? 0) / c.graph_cycles);
  const longest = (rows: CriticalRow[]) => Math.max(1, ...rows.map((i) => i.path));
  return (
    <>
      {!c.base.trusted && <p class="warning">The path is {c.base.error_percent.toFixed(1)}% longer than the simulated time: read it with care.</p>}
      <Chart title="The path by kind" note={`${count(c.graph_cycles)} cycles, of which ${percent(c.tied, c.graph_cycles)} another path of the same length avoids.`}
        legend={<Legend entries={kinds.map(([name, n]) => ({ name, share: n / c.graph_cycles, colour: kindColour(name), text: percent(n, c.graph_cycles) }))} />}>
        <Bars label="The critical path by kind of edge" bars={[{ label: "", whole: c.graph_cycles,
          parts: kinds.map(([name, amount]) => ({ name, amount, colour: kindColour(name) })) }]} />
      </Chart>
      <h3>Instructions</h3>
      <Table name="Instructions of the path" rows={c.instructions} little={little} columns={[
        { key: "text", title: "instruction", left: true, value: (i) => i.text ?? "", show: (i) => <code>{i.text}</code> },
        { key: "place", title: "place", left: true, value: (i) => i.line ?? i.place ?? "" },
        ...columns(c, longest(c.instructions)),
      ]} />
      {c.lines.length > 0 && (
        <>
          <h3>Lines</h3>
          <Table name="Lines of the path" rows={c.lines} little={little} columns={[
            { key: "line", title: "line", left: true, value: (i) => i.line ?? "" }, ...columns(c, longest(c.lines))]} />
        </>
      )}
      <h3>Functions</h3>
      <Table name="Functions of the path" rows={c.functions} little={little} columns={[
        { key: "function", title: "function", left: true, value: (i) => i.function ?? "" },
        { key: "object", title: "object", left: true, value: (i) => i.object ?? "" },
        ...columns(c, longest(c.functions)),
      ]} />
      {c.hottest_loop && <Loop c={c} />}
    </>
  );
}
