// The commit stack row by row; the stages; the architectures of hardware counters; top-down.
import { byAmount, count, isLittle, percent, sum } from "../format";
import type { Amounts, Result, Stacks } from "../data";
import { Bars, type Bar } from "../parts/bars";
import { Chart } from "../parts/chart";
import { Legend } from "../parts/legend";
import { useResult } from "../parts/subject";
import { Table } from "../parts/table";

const rowsOf = (stacks: Record<string, Amounts>): string[] => [...new Set(Object.values(stacks).flatMap((s) => Object.keys(s)))];

const total = (few: [string, number][]): number => few.reduce((n, [, a]) => n + a, 0);

function CommitStack({ r }: { r: Result }) {
  const rows = byAmount(r.commit_stack!);
  const parts = rows.map(([name, amount]) => ({ name, amount }));
  return (
    <>
      <Chart title="Commit stack" note="Each cycle is in one row: what the oldest instruction waited for."
        legend={<Legend entries={rows.map(([name, n]) => ({ name, share: n / r.cycles, text: percent(n, r.cycles), help: r.legend.commit_stack[name] }))} />}>
        <Bars label="Commit stack" bars={[{ label: "", whole: r.cycles, parts }]} />
      </Chart>
      <Table name="Commit stack" rows={rows} little={([, n]) => isLittle(n / r.cycles)} columns={[
        { key: "row", title: "row", left: true, value: ([name]) => name },
        { key: "cycles", title: "cycles", value: ([, n]) => n, show: ([, n]) => count(n), sum: (few) => count(total(few)) },
        { key: "share", title: "% of time", value: ([, n]) => n, show: ([, n]) => percent(n, r.cycles, 2), sum: (few) => percent(total(few), r.cycles, 2) },
        { key: "cpi", title: "CPI", value: ([, n]) => n, show: ([, n]) => (n / r.instructions).toFixed(4), sum: (few) => (total(few) / r.instructions).toFixed(4) },
        { key: "meaning", title: "meaning", left: true, value: ([name]) => r.legend.commit_stack[name] ?? "" },
      ]} />
    </>
  );
}

// Many stacks side by side: a bar each, and one table of all. `unit`: of an amount in a cycle.
function Many({ title, note, stacks, unit, r }: { title: string; note: string; stacks: Record<string, Amounts>; unit: number; r: Result }) {
  const whole = r.cycles * unit;
  const names = rowsOf(stacks).filter((n) => Object.values(stacks).some((s) => s[n]));
  const most = (name: string) => Math.max(...Object.values(stacks).map((s) => Math.abs(s[name] ?? 0))) / whole;
  const bars: Bar[] = Object.entries(stacks).map(([label, s]) => ({
    label, whole, parts: names.map((name) => ({ name, amount: s[name] ?? 0 })) }));
  return (
    <>
      <Chart title={title} note={note} legend={<Legend entries={names.map((name) => ({ name, share: most(name) }))} />}>
        <Bars label={title} bars={bars} />
      </Chart>
      <details class="data">
        <summary>As a table</summary>
        <Table name={title} rows={names} little={(n) => isLittle(most(n))} columns={[
          { key: "row", title: "row", left: true, value: (n) => n },
          ...Object.entries(stacks).map(([label, s]) => ({
            key: label, title: label, value: (n: string) => s[n] ?? 0, show: (n: string) => percent(s[n] ?? 0, whole, 2),
            sum: (few: string[]) => percent(few.reduce((all, n) => all + (s[n] ?? 0), 0), whole, 2) })),
        ]} />
      </details>
    </>
  );
}

function stagesOf(s: Stacks): Record<string, Amounts> {
  return Object.fromEntries(Object.entries(s.stages).filter(([, v]) => typeof v === "object")) as Record<string, Amounts>;
}

const TOPDOWN: Record<string, { colour: string; parts: [string, string] | null }> = {
  retiring: { colour: "commit", parts: ["light_operations", "heavy_operations"] },
  bad_speculation: { colour: "mispredict", parts: ["branch_mispredicts", "machine_clears"] },
  frontend_bound: { colour: "front", parts: ["fetch_latency", "fetch_bandwidth"] },
  backend_bound: { colour: "cache", parts: ["memory_bound", "core_bound"] },
};
const TOPDOWN_SECOND: Record<string, string> = {
  light_operations: "commit", heavy_operations: "pipeline", branch_mispredicts: "mispredict", machine_clears: "violation",
  fetch_latency: "code", fetch_bandwidth: "front", memory_bound: "cache", core_bound: "long_op",
};

function TopDown({ r, s }: { r: Result; s: Stacks }) {
  const slots = s.topdown.slots;
  const whole = r.cycles * s.topdown.slots_per_cycle;
  const words = (name: string) => name.replaceAll("_", " ");
  const first = Object.keys(TOPDOWN).map((name) => ({ name: TOPDOWN[name]!.colour, label: words(name), amount: slots[name] ?? 0 }));
  const second = Object.values(TOPDOWN).flatMap((t) => t.parts ?? [])
    .map((name) => ({ name: TOPDOWN_SECOND[name]!, label: words(name), amount: slots[name] ?? 0 }));
  return (
    <>
      <Chart title="Top-down" note={`Slots of dispatch (${s.topdown.slots_per_cycle} in a cycle) as Yasin's method sorts them, at two levels.`}
        legend={<Legend entries={second.filter((p) => p.amount).map((p) => ({ name: p.name, label: p.label, share: p.amount / whole, text: percent(p.amount, whole) }))} />}>
        <Bars label="Top-down" bars={[{ label: "level 1", whole, parts: first }, { label: "level 2", whole, parts: second }]} />
      </Chart>
      <details class="data">
        <summary>As a table</summary>
        <Table name="Top-down" rows={Object.entries(slots).filter(([, n]) => n)} little={([, n]) => isLittle(n / whole)} columns={[
          { key: "row", title: "row", left: true, value: ([n]) => words(n) },
          { key: "slots", title: "slots", value: ([, n]) => n, show: ([, n]) => count(n), sum: (few) => count(total(few)) },
          { key: "share", title: "%", value: ([, n]) => n, show: ([, n]) => percent(n, whole, 2), sum: (few) => percent(total(few), whole, 2) },
        ]} />
      </details>
    </>
  );
}

export function StacksView() {
  const r = useResult();
  const s = r.stacks;
  return (
    <>
      <CommitStack r={r} />
      {s ? (
        <>
          <Many r={r} title="Stacks by stage" unit={s.stages.slots_per_cycle} stacks={stagesOf(s)}
            note={`Slots that each stage lost, by reason: ${s.stages.slots_per_cycle} slots in each of ${count(r.cycles)} cycles.`} />
          <Many r={r} title="Counter architectures" unit={1} stacks={s.cycles}
            note={"CPI stacks as counters in hardware would see them; hybrid is ours, which sees what the simulator does." +
              (Object.values(s.overcharged).some(Boolean) ? " Where base is negative, more cycles were charged than there were." : "")} />
          <TopDown r={r} s={s} />
        </>
      ) : <p class="note">Stages, counter architectures and top-down: <code>--with stacks</code>.</p>}
      <Rates r={r} />
    </>
  );
}

function Rates({ r }: { r: Result }) {
  const kilo = r.instructions / 1000;
  const caches = Object.entries(r.caches ?? {});
  const branches = Object.entries(r.branches ?? {}).filter(([, b]) => b.committed);
  return (
    <div class="pair">
      <section>
        <h3>Caches and TLBs</h3>
        <Table name="Caches and TLBs" rows={caches} columns={[
          { key: "name", title: "cache", left: true, value: ([n]) => n.replace("_", " ") },
          { key: "accesses", title: "accesses", value: ([, c]) => c.accesses ?? 0, show: ([, c]) => count(c.accesses ?? 0) },
          { key: "misses", title: "misses", value: ([, c]) => c.misses ?? 0, show: ([, c]) => count(c.misses ?? 0) },
          { key: "rate", title: "miss %", value: ([, c]) => (c.misses ?? 0) / (c.accesses || 1), show: ([, c]) => percent(c.misses ?? 0, c.accesses ?? 0) },
          { key: "mpki", title: "per 1000", help: "misses for each thousand instructions", value: ([, c]) => c.misses ?? 0, show: ([, c]) => ((c.misses ?? 0) / kilo).toFixed(2) },
        ]} />
      </section>
      <section>
        <h3>Branches</h3>
        <Table name="Branches" rows={branches} columns={[
          { key: "name", title: "kind", left: true, value: ([n]) => n.replace("_", " ") },
          { key: "committed", title: "committed", value: ([, b]) => b.committed ?? 0, show: ([, b]) => count(b.committed ?? 0) },
          { key: "wrong", title: "mispredicted", value: ([, b]) => b.mispredicted ?? 0, show: ([, b]) => count(b.mispredicted ?? 0) },
          { key: "rate", title: "%", value: ([, b]) => (b.mispredicted ?? 0) / (b.committed || 1), show: ([, b]) => percent(b.mispredicted ?? 0, b.committed ?? 0) },
        ]} />
        <p class="note">
          {count(sum(Object.fromEntries(branches.map(([n, b]) => [n, b.mispredicted ?? 0]))))} mispredictions in all;{" "}
          {count(r.counts?.fetched_wrong_path ?? 0)} instructions were fetched on wrong paths, {count(r.counts?.violations ?? 0)} memory-order violations.
        </p>
      </section>
    </div>
  );
}
