// Functions, and the instructions of one of them.
import { colour } from "../colours";
import { byAmount, count, hex, percent } from "../format";
import type { Amounts, Site } from "../data";
import { useResult } from "../parts/subject";
import { Table } from "../parts/table";
import { amend, useFragment } from "../state";

// A small bar of causes; its length is the share of `whole`.
export function Strip({ causes, whole, labels }: { causes: Amounts; whole: number; labels: Record<string, string> }) {
  const parts = byAmount(causes);
  const words = parts.slice(0, 4).map(([n, a]) => `${labels[n] ?? n} ${percent(a, whole, 2)}`).join(", ");
  return (
    <span class="strip" role="img" aria-label={words} title={words}>
      {parts.map(([n, a]) => <span key={n} style={{ width: `${Math.max(0, (100 * a) / whole)}%`, background: colour(n) }} />)}
    </span>
  );
}

export function CodeView() {
  const r = useResult();
  const { keys } = useFragment();
  const labels = r.legend.causes;
  const functions = r.functions ?? [];
  const chosen = functions.find((f) => f.function === keys.f) ?? functions[0];
  const sites = (r.sites ?? []).filter((s) => s.function === chosen?.function && s.object === chosen?.object)
    .sort((a, b) => a.pc - b.pc);
  const longest = Math.max(1, ...functions.map((f) => f.cycles));
  const hottest = Math.max(1, ...sites.map((s) => s.cycles));
  return (
    <>
      <Table name="Functions" rows={functions} current={(f) => f === chosen} onPick={(f) => amend({ f: f.function })} columns={[
        { key: "function", title: "function", left: true, value: (f) => f.function },
        { key: "object", title: "object", left: true, value: (f) => f.object },
        { key: "place", title: "its costliest line", left: true, value: (f) => f.place },
        { key: "cycles", title: "cycles", value: (f) => f.cycles, show: (f) => count(f.cycles) },
        { key: "share", title: "% of time", value: (f) => f.cycles, show: (f) => percent(f.cycles, r.cycles) },
        { key: "ipc", title: "IPC", value: (f) => f.instructions / f.cycles, show: (f) => (f.instructions / f.cycles).toFixed(2) },
        { key: "causes", title: "by cause", left: true, value: (f) => f.cycles, show: (f) => <Strip causes={f.causes} whole={longest} labels={labels} /> },
      ]} />
      {chosen && (
        <>
          <h3>Instructions of {chosen.function}</h3>
          <p class="note">
            {sites.length} of its instructions are among the {r.sites?.length} with most cycles that this result lists, of {r.sites_in_all} in all.
          </p>
          <Table name={`Instructions of ${chosen.function}`} rows={sites} most={200} columns={[
            { key: "pc", title: "address", left: true, value: (s: Site) => s.pc, show: (s) => <code>{hex(s.pc)}</code> },
            { key: "line", title: "line", left: true, value: (s) => s.line },
            { key: "executions", title: "executions", value: (s) => s.executions, show: (s) => count(s.executions) },
            { key: "cycles", title: "cycles", value: (s) => s.cycles, show: (s) => count(s.cycles) },
            { key: "share", title: "% of time", value: (s) => s.cycles, show: (s) => percent(s.cycles, r.cycles, 2) },
            { key: "causes", title: "by cause", left: true, value: (s) => s.cycles, show: (s) => <Strip causes={s.causes} whole={hottest} labels={labels} /> },
            { key: "misses", title: "L1D misses", value: (s) => s.l1d_misses, show: (s) => s.l1d_misses ? count(s.l1d_misses) : "" },
            { key: "memory", title: "to memory", value: (s) => s.memory_accesses, show: (s) => s.memory_accesses ? count(s.memory_accesses) : "" },
            { key: "wrong", title: "mispredicted", value: (s) => s.mispredictions, show: (s) => s.mispredictions ? count(s.mispredictions) : "" },
          ]} />
        </>
      )}
    </>
  );
}
