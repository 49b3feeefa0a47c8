// The pipeline view: a window of the run on a canvas, the choice of it, what is known of one instruction, and places to jump to.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { coloursOf, draw, labelsOf, roomOf, type Look } from "../canvas";
import type { Pipeline, Result } from "../data";
import { count, hex, percent } from "../format";
import { Legend } from "../parts/legend";
import { useResult } from "../parts/subject";
import { Table } from "../parts/table";
import { useWidth } from "../parts/width";
import { chainFrom, FLAG, makeRows, producersOf, usualSpan, WINDOWS, type Rows } from "../pipeline";
import { amend, useFragment } from "../state";
import { windowsOf, type Window } from "../windows";

const HEIGHT = 560;
const FAR = 20; // percent of the time, from which on no window stands for the run
const ZOOMS = [3, 5, 8, 12, 15, 20]; // pixels a row

function best(rows: Rows, score: (row: number) => number): number {
  let at = -1;
  let most = 0;
  for (let row = 0; row < rows.count; row++) {
    const s = rows.number[row]! < 0 ? 0 : score(row);
    if (s > most) { most = s; at = row; }
  }
  return at;
}

function jumps(r: Result, p: Pipeline, rows: Rows): { title: string; row: number }[] {
  const causes = p.causes;
  const is = (row: number, ...names: string[]) => names.includes(causes[rows.cause[row]!]!);
  const loop = r.critical?.hottest_loop;
  const start = loop ? p.code.findIndex((c) => c.pc === loop.first) : -1;
  const mostly = () => { // the instruction executed most
    const times = new Map<number, number>();
    for (let row = 0; row < rows.count; row++) if (rows.code[row]! >= 0) times.set(rows.code[row]!, (times.get(rows.code[row]!) ?? 0) + 1);
    return [...times].sort((a, b) => b[1] - a[1])[0]?.[0] ?? -1;
  };
  const hot = start >= 0 ? start : mostly();
  const middle = Math.floor(rows.count / 2);
  let nearest = rows.code.indexOf(hot, middle);
  if (nearest < 0) nearest = rows.code.indexOf(hot);
  return [
    { title: "Hottest loop", row: hot >= 0 ? nearest : -1 },
    { title: "Worst miss", row: best(rows, (row) => (is(row, "memory", "cache", "tlb") ? rows.wait[row]! : 0)) },
    { title: "Worst misprediction", row: best(rows, (row) => (is(row, "mispredict") ? rows.wait[row]! : 0)) },
    { title: "Longest wait", row: best(rows, (row) => rows.wait[row]!) },
  ].filter((j) => j.row >= 0);
}

function Facts({ p, rows, row, r, go }: { p: Pipeline; rows: Rows; row: number; r: Result; go: (row: number) => void }) {
  if (row < 0) return <p class="note">Move over an instruction, or choose one with a click or the arrow keys: what it waited for, and who made its operands.</p>;
  const cycle = (n: number) => (n < 0 ? "-" : count(n));
  if (rows.number[row]! < 0) return (
    <p>
      An instruction that was squashed after {rows.violation[row] ? "a memory-order violation: it is fetched again" : "a misprediction: a wrong path"}. Fetched in
      cycle {cycle(rows.fetch[row]!)}, {rows.dispatch[row]! < 0 ? "never dispatched" : `dispatched in ${cycle(rows.dispatch[row]!)}`}, gone
      in {cycle(rows.end[row]!)}.
    </p>
  );
  const code = p.code[rows.code[row]!]!;
  const flags = rows.flags[row]!;
  const label = (index: number) => r.legend.causes[p.causes[index]!] ?? p.causes[index]!;
  const notes = [
    flags & FLAG.mispredicted && "mispredicted", flags & FLAG.load && `load: ${label(rows.execution[row]!)}`, flags & FLAG.store && "store",
    flags & FLAG.forwarded && "data forwarded from a store", flags & FLAG.merged && "its line was already on its way", flags & FLAG.violated && "violated memory order",
    rows.front[row]! && `fetched late: ${label(rows.front[row]!)}`, rows.window[row]! && `held at dispatch: ${WINDOWS[rows.window[row]!]} full`,
    rows.issue[row]! > rows.ready[row]! && `ready ${rows.issue[row]! - rows.ready[row]!} cycles before it found an issue slot or unit`,
  ].filter(Boolean);
  return (
    <div class="facts">
      <p>
        <code>{code.text}</code> at {code.line ?? ""} <code>{hex(code.pc)}</code> in {code.function ?? code.object ?? "?"}; number {count(p.first + rows.number[row]!)} of the region
      </p>
      <p>
        fetch {cycle(rows.fetch[row]!)}, dispatch {cycle(rows.dispatch[row]!)}, ready {cycle(rows.ready[row]!)}, issue {cycle(rows.issue[row]!)}, complete{" "}
        {cycle(rows.complete[row]!)}, commit {cycle(rows.end[row]!)}.{" "}
        {rows.wait[row]! > 0 ? <b>Commit waited {rows.wait[row]} cycles for it: {label(rows.cause[row]!)}.</b> : "Commit did not wait for it."}
      </p>
      {notes.length > 0 && <p>{notes.join("; ")}</p>}
      <p>
        {producersOf(rows, row).map((m) => (
          <button key={m.what} type="button" class="link" onClick={() => go(m.row)}>{m.what} made by {p.code[rows.code[m.row]!]!.text}</button>
        )).flatMap((b, i) => (i ? [", ", b] : [b]))}
      </p>
    </div>
  );
}

const placeOf = (w: Window, r: Result): string => percent(w.firstCycle, r.cycles, 0);

function mostlyOf(w: Window, r: Result): string {
  const cause = w.mostly && `${r.legend.causes[w.mostly.cause] ?? w.mostly.cause} ${percent(w.mostly.share, 1, 0)}`;
  return [cause, w.function && `in ${w.function}`].filter(Boolean).join(" ");
}

function Choice({ windows, chosen, r }: { windows: Window[]; chosen: Window; r: Result }) {
  const pick = (w: Window) => amend({ w: w.nearest ? undefined : w.first, n: undefined });
  return (
    <>
      <div class="controls">
        <label class="group">Window
          <select value={String(chosen.first)} onChange={(e) => pick(windows.find((w) => String(w.first) === (e.target as HTMLSelectElement).value)!)}>
            {windows.map((w) => (
              <option key={w.first} value={String(w.first)}>
                {`at ${placeOf(w, r)} of the time: ${w.off.toFixed(1)}% off${w.nearest ? ", the nearest" : ""}; ${mostlyOf(w, r)}`}
              </option>
            ))}
          </select>
        </label>
      </div>
      <details class="data">
        <summary>All windows as a table</summary>
        <Table name="Windows" rows={windows} current={(w) => w === chosen} onPick={pick} columns={[
          { key: "at", title: "at % of the time", left: true, value: (w) => -w.firstCycle, show: (w) => placeOf(w, r) },
          { key: "off", title: "% of the time off", help: "its commit stack against the whole run's", value: (w) => w.off, show: (w) => w.off.toFixed(1) },
          { key: "mostly", title: "commit waits mostly for", left: true, value: (w) => w.mostly?.cause ?? "", show: (w) => mostlyOf(w, r) },
          { key: "cycle", title: "first cycle", value: (w) => w.firstCycle, show: (w) => count(w.firstCycle) },
          { key: "first", title: "first instruction", value: (w) => w.first, show: (w) => count(w.first) },
          { key: "length", title: "instructions", value: (w) => w.length, show: (w) => count(w.length) },
        ]} />
      </details>
    </>
  );
}

// Is the window like the run? In words that do not promise more.
function Likeness({ windows, chosen }: { windows: Window[]; chosen: Window }) {
  const nearest = windows.find((w) => w.nearest)!;
  const off = `${chosen.off.toFixed(1)}%`;
  if (nearest.off >= FAR) return (
    <p class="warning">
      {windows.length > 1 ? `None of the ${windows.length} windows is like the whole run: even the nearest` : "This window is not like the whole run: it"} differs
      in {nearest.off.toFixed(1)}% of the time{chosen.nearest ? "" : `, this one in ${off}`}. The run does different things at different times, and a
      window shows one of them: do not take it for the average.
    </p>
  );
  return (
    <p class="note">
      {chosen.nearest ? `Of ${windows.length} windows it is the nearest to the whole run: where the time goes differs in ${off} of it.`
        : `Where the time goes differs from the whole run's in ${off} of it; the nearest window's, in ${nearest.off.toFixed(1)}%.`}
    </p>
  );
}

export function PipelineView() {
  const r = useResult();
  const { keys } = useFragment();
  const windows = useMemo(() => windowsOf(r.pipeline!), [r]);
  const chosen = windows.find((w) => String(w.first) === keys.w) ?? windows.find((w) => w.nearest)!;
  return (
    <>
      <Choice windows={windows} chosen={chosen} r={r} />
      <Likeness windows={windows} chosen={chosen} />
      <WindowView key={chosen.first} p={chosen.open()} />
    </>
  );
}

function WindowView({ p }: { p: Pipeline }) {
  const r = useResult();
  const [fold, setFold] = useState(false);
  const rows = useMemo(() => makeRows(p, fold), [p, fold]);
  const places = useMemo(() => jumps(r, p, rows), [rows]);
  const { keys } = useFragment();
  const [box, width] = useWidth();
  const canvas = useRef<HTMLCanvasElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const [zoom, setZoom] = useState(4);
  const [stretch, setStretch] = useState(0); // doublings of the width of a cycle
  const [hovered, setHovered] = useState(-1);
  const [showChain, setShowChain] = useState(false);
  const [find, setFind] = useState("");
  const asked = Number(keys.n);
  const selected = keys.n !== undefined && asked >= 0 && asked < rows.count ? asked : -1;
  const chain = useMemo(() => (showChain ? chainFrom(rows, rows.rowOf.length - 1) : null), [showChain, rows]);
  const rowHeight = ZOOMS[zoom]!;
  const span = useMemo(() => usualSpan(rows, Math.floor(HEIGHT / rowHeight)), [rows, rowHeight]);
  const cycleWidth = Math.max(0.02, Math.min(14, (width - labelsOf(width) - roomOf(width)) / span)) * 2 ** stretch;
  const look = useRef<Look>(null as unknown as Look);
  look.current = { top: (scroller.current?.scrollTop ?? 0) / rowHeight, rowHeight, cycleWidth, selected, hovered, chain };
  const colours = useRef<ReturnType<typeof coloursOf> | null>(null);
  const pending = useRef(0);

  const paint = () => {
    pending.current = 0;
    if (!canvas.current || !scroller.current) return;
    look.current.top = scroller.current.scrollTop / look.current.rowHeight;
    draw(canvas.current, p, rows, look.current, width, HEIGHT, colours.current ??= coloursOf(canvas.current));
  };
  const repaint = () => { pending.current ||= requestAnimationFrame(paint); };
  const show = (row: number) => {
    const at = scroller.current!;
    const y = row * rowHeight;
    if (y < at.scrollTop + 30 || y > at.scrollTop + HEIGHT - 60) at.scrollTop = Math.max(0, y - HEIGHT / 3);
  };
  const go = (row: number) => amend({ n: Math.max(0, Math.min(rows.count - 1, row)) });

  useEffect(() => {
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const fresh = () => { colours.current = null; repaint(); };
    dark.addEventListener("change", fresh);
    const watch = new MutationObserver(fresh);
    watch.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    return () => { dark.removeEventListener("change", fresh); watch.disconnect(); };
  }, [width]);
  useEffect(() => { if (selected >= 0) show(selected); else if (places[0]) show(places[0].row); }, [selected, rowHeight]);
  useEffect(repaint, [width, rowHeight, cycleWidth, selected, hovered, chain]);

  const rowAt = (e: MouseEvent) => {
    const y = e.clientY - canvas.current!.getBoundingClientRect().top - 18;
    const row = Math.floor(look.current.top + y / rowHeight);
    return y >= 0 && row < rows.count ? row : -1;
  };
  const key = (e: KeyboardEvent) => {
    const from = selected >= 0 ? selected : Math.floor(look.current.top);
    const page = Math.floor(HEIGHT / rowHeight) - 4;
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page };
    if (e.key in steps) go(from + steps[e.key]!);
    else if (e.key === "Home") go(0);
    else if (e.key === "End") go(rows.count - 1);
    else if (e.key === "p" && producersOf(rows, from)[0]) go(producersOf(rows, from)[0]!.row);
    else if (e.key === "+" || e.key === "=") setZoom(Math.min(ZOOMS.length - 1, zoom + 1));
    else if (e.key === "-") setZoom(Math.max(0, zoom - 1));
    else if (e.key === "]") setStretch(Math.min(4, stretch + 1));
    else if (e.key === "[") setStretch(Math.max(-3, stretch - 1));
    else return;
    e.preventDefault();
  };
  const search = (e: Event) => {
    e.preventDefault();
    const text = find.trim().toLowerCase();
    if (!text) return;
    const matches = (row: number) => {
      const code = p.code[rows.code[row]!];
      return code && (code.text.toLowerCase().includes(text) || hex(code.pc) === text || code.line?.toLowerCase() === text || code.function?.toLowerCase() === text);
    };
    if (/^cycle \d+$/.test(text)) {
      const cycle = Number(text.slice(6));
      let row = 0;
      while (row + 1 < rows.count && rows.fetch[row]! < cycle) row++;
      go(row);
      return;
    }
    for (let n = 1; n <= rows.count; n++) {
      const row = (Math.max(selected, 0) + n) % rows.count;
      if (matches(row)) { go(row); return; }
    }
  };
  const shownRow = hovered >= 0 ? hovered : selected;
  const used = [...new Set([...rows.execution, ...rows.front].filter((c) => c > 0))].sort((a, b) => a - b).map((c) => p.causes[c]!);
  const around = Math.max(0, (selected >= 0 ? selected : 0) - 20);
  return (
    <>
      <p class="note">
        {count(rows.rowOf.length)} instructions from number {count(p.first)} of the region, and {count(p.squashed.number!.length)} that were squashed;{" "}
        {count(p.cycles)} cycles, from cycle {count(p.first_cycle)}.
      </p>
      <div class="controls">
        <div class="group" role="group" aria-label="Jump to">
          {places.map((j) => <button key={j.title} type="button" onClick={() => go(j.row)}>{j.title}</button>)}
        </div>
        <form class="group" onSubmit={search} role="search">
          <input type="search" data-search value={find} placeholder="text, 0xaddress, line, cycle 500" aria-label="Find an instruction, address, line, function, or cycle N"
            onInput={(e) => setFind((e.target as HTMLInputElement).value)} />
          <button type="submit">Next</button>
        </form>
        <div class="group" role="group" aria-label="Zoom">
          rows <button type="button" aria-label="Lower rows" onClick={() => setZoom(Math.max(0, zoom - 1))}>{"\u2212"}</button>
          <button type="button" aria-label="Higher rows" onClick={() => setZoom(Math.min(ZOOMS.length - 1, zoom + 1))}>+</button>
          cycles <button type="button" aria-label="Narrower cycles" onClick={() => setStretch(Math.max(-3, stretch - 1))}>{"\u2212"}</button>
          <button type="button" aria-label="Wider cycles" onClick={() => setStretch(Math.min(4, stretch + 1))}>+</button>
        </div>
        <button type="button" aria-pressed={showChain} onClick={() => setShowChain(!showChain)}>Critical chain</button>
        {p.squashed.number!.length > 0 && <button type="button" aria-pressed={fold} onClick={() => { amend({ n: undefined }); setFold(!fold); }}>Fold squashed</button>}
      </div>
      <div ref={box} class="pipe">
        <div ref={scroller} class="scroller" style={{ height: `${HEIGHT}px` }} tabIndex={0} role="application" onScroll={repaint} onKeyDown={key}
          aria-label="Pipeline: rows are instructions, columns cycles. Arrow keys choose, p goes to the maker of an operand, plus and minus zoom rows, brackets cycles. The text below says what is chosen."
          onMouseMove={(e) => setHovered(rowAt(e))} onMouseLeave={() => setHovered(-1)} onClick={(e) => { const row = rowAt(e); if (row >= 0) go(row); }}>
          <div style={{ height: `${rows.count * rowHeight + 40}px` }}>
            <canvas ref={canvas} style={{ width: `${width}px`, height: `${HEIGHT}px` }} aria-hidden="true" />
          </div>
        </div>
      </div>
      <Legend entries={[
        { name: "front end", colour: "var(--line)", label: "fetch to dispatch (coloured: why late)" }, { name: "operands", colour: "var(--faint)", label: "waits for operands" },
        { name: "slots", label: "ready, no slot or unit" }, ...used.filter((c) => c !== "slots").map((name) => ({ name, label: r.legend.causes[name] })),
        { name: "squash", colour: "color-mix(in srgb, #d55e00 45%, transparent)", label: "squashed" }, { name: "commit tick", colour: "var(--ink)", label: "commit; below it what commit waited for" },
      ]} />
      <div class="below" aria-live="polite"><Facts p={p} rows={rows} row={shownRow} r={r} go={go} /></div>
      <details class="data">
        <summary>As a table, around the chosen instruction</summary>
        <Table name="Instructions of the window" rows={Array.from({ length: Math.min(60, rows.count - around) }, (_, i) => around + i)} most={60} current={(row) => row === selected} onPick={go} columns={[
          { key: "n", title: "row", value: (row) => row },
          { key: "text", title: "instruction", left: true, value: (row) => rows.code[row]! < 0 ? "(squashed)" : p.code[rows.code[row]!]!.text },
          ...(["fetch", "dispatch", "ready", "issue", "complete", "end"] as const).map((k) => ({
            key: k, title: k === "end" ? "commit" : k, value: (row: number) => rows[k][row]!, show: (row: number) => rows[k][row]! < 0 ? "" : count(rows[k][row]!) })),
          { key: "wait", title: "commit waited", value: (row) => rows.wait[row]! },
          { key: "cause", title: "for", left: true, value: (row) => rows.wait[row] ? r.legend.causes[p.causes[rows.cause[row]!]!] ?? "" : "" },
        ]} />
      </details>
    </>
  );
}
