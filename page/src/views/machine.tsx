// What was simulated, and how to do it again.
import { useState } from "preact/hooks";
import { flatten } from "../flatten";
import { useResult } from "../parts/subject";
import { Table } from "../parts/table";

const quote = (w: string) => (/^[\w@%+=:,./-]+$/.test(w) ? w : `'${w.replaceAll("'", "'\\''")}'`);

export function MachineView() {
  const r = useResult();
  const p = r.provenance;
  const [search, setSearch] = useState("");
  const keys = p.machine ? flatten(p.machine) : [];
  const found = keys.filter(([k, v]) => (k + " " + v).toLowerCase().includes(search.toLowerCase()));
  const changed = [p.options.set, p.options.ideal].flat().filter((x): x is string => typeof x === "string");
  return (
    <>
      <h3>The command</h3>
      <p class="command"><code>culprit {p.words.map((w) => quote(w ?? "?")).join(" ")}</code></p>
      <p class="note">
        In {p.directory ?? "a folder that is gone"}; culprit {p.version}, commit {p.commit}, built with {p.compiler}; seed {p.seed}, of the guest {p.guest_seed}.
        {" "}<code>culprit rerun</code> makes it again from the file of <code>--json</code>, and compares. {r.mips !== undefined && <>The simulator ran {r.mips.toFixed(2)} million instructions a second, {r.host_seconds.toFixed(1)} s in all.</>}
      </p>
      <h3>Files</h3>
      <Table name="Files" rows={p.files} columns={[
        { key: "role", title: "role", left: true, value: (f) => f.role },
        { key: "path", title: "path", left: true, value: (f) => f.path },
        { key: "hash", title: "SHA-256", left: true, value: (f) => f.sha256, show: (f) => <code>{f.sha256?.slice(0, 16) ?? "-"}</code> },
      ]} />
      {p.machine && (
        <>
          <h3>Machine {p.machine_name}</h3>
          <p class="note">{changed.length ? `Differs from the machine's file by ${changed.join(", ")}.` : "As in the machine's file: nothing was changed by --set or --ideal."}</p>
          <div class="controls">
            <label>Search <input type="search" data-search value={search} onInput={(e) => setSearch((e.target as HTMLInputElement).value)} /></label>
          </div>
          <Table name="Machine" rows={found} most={400} columns={[
            { key: "key", title: "key", left: true, value: ([k]) => k, show: ([k]) => <code>{k}</code> },
            { key: "value", title: "value", left: true, value: ([, v]) => v },
          ]} />
        </>
      )}
    </>
  );
}
