// The plan's machines side by side, key by key.
import { useState } from "preact/hooks";
import { Table } from "../parts/table";
import { useFragment, amend } from "../state";
import { keysOf, useSweep } from "./data";

export function MachinesView() {
  const s = useSweep();
  const { keys: state } = useFragment();
  const [search, setSearch] = useState("");
  const machines = s.machines.map((m) => ({ name: m.name, keys: keysOf(s, m.name) }));
  const swept = new Map(s.axes.flatMap((a) => a.values.flatMap((v) => v.sets.map((set): [string, string] => [set.slice(0, set.indexOf("=")), a.name]))));
  const all = [...new Set(machines.flatMap((m) => [...m.keys.keys()]).concat([...swept.keys()]))].filter((k) => k !== "name");
  const differs = (k: string) => swept.has(k) || machines.some((m) => m.keys.get(k) !== machines[0]!.keys.get(k));
  const whole = state.keys === "all";
  const rows = all.filter((k) => (whole || differs(k)) && [k, ...machines.map((m) => m.keys.get(k) ?? "")].join(" ").toLowerCase().includes(search.toLowerCase()));
  const values = (axis: string) => s.axes.find((a) => a.name === axis)!.values.map((v) => v.name).join(", ");
  return (
    <>
      <p class="note">What the machines are before an axis of the plan changes them.</p>
      <div class="controls">
        <label>Search <input type="search" data-search value={search} onInput={(e) => setSearch((e.target as HTMLInputElement).value)} /></label>
        <label><input type="checkbox" checked={whole} onChange={() => amend({ keys: whole ? undefined : "all" })} /> also what is the same in all</label>
      </div>
      {rows.length ? (
        <Table name="Machines" rows={rows} most={400} columns={[
          { key: "key", title: "key", left: true, value: (k) => k, show: (k) => <code>{k}</code> },
          ...machines.map((m) => ({ key: m.name, title: m.name, left: true, value: (k: string) => m.keys.get(k) ?? "-" })),
          ...(swept.size ? [{ key: "swept", title: "values of the plan", left: true, value: (k: string) => (swept.has(k) ? values(swept.get(k)!) : "") }] : []),
        ]} />
      ) : <p>{search ? "No key is like that." : "They do not differ."}</p>}
    </>
  );
}
