// Functions; the source and the instructions of one of them side by side, with what happened at each.
import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { colour } from "../colours";
import { byAmount, count, decimals, hex, percent } from "../format";
import type { Amounts, Code, CodeFunction, Instruction, Result } from "../data";
import { inlinedPath, lineKey, sourceLines, type SourceLine } from "../listing";
import { Legend } from "../parts/legend";
import { Scroll } from "../parts/scroll";
import { useResult } from "../parts/subject";
import { Table } from "../parts/table";
import { useNarrow } from "../parts/width";
import { amend, useFragment } from "../state";

// A small bar of causes; its length is the share of `whole`.
export function Strip({ causes, whole, labels }: { causes: Amounts; whole: number; labels: Record<string, string> }) {
  const parts = byAmount(causes);
  if (!parts.length) return null;
  const own = parts.reduce((n, [, a]) => n + a, 0);
  const words = parts.slice(0, 4).map(([n, a]) => `${labels[n] ?? n} ${percent(a, own, 0)}`).join(", ");
  return (
    <span class="strip" role="img" aria-label={words} title={words}>
      {parts.map(([n, a]) => <span key={n} style={{ width: `${(100 * a) / whole}%`, background: colour(n) }} />)}
    </span>
  );
}

// From a result without code: what the report's own table and sites say.
function withoutCode(r: Result): Code {
  const functions = (r.functions ?? []).map((f): CodeFunction => ({
    function: f.function, symbol: null, object: f.object, start: 0, end: 0, cycles: f.cycles, executions: f.instructions, causes: f.causes,
    instructions: (r.sites ?? []).filter((s) => s.function === f.function && s.object === f.object).sort((a, b) => a.pc - b.pc)
      .map((s): Instruction => ({ ...s, text: "", line: undefined })),
  }));
  return { causes: [], outside: 0, files: [], inlined: [], functions };
}

const share = (n: number | undefined, r: Result): string => (n && n / r.cycles >= 0.00005 ? percent(n, r.cycles, n / r.cycles < 0.1 ? 2 : 1) : "");
const some = (n: number | undefined): string => (n ? count(n) : "");

function Functions({ r, code, chosen }: { r: Result; code: Code; chosen: CodeFunction }) {
  const longest = Math.max(1, ...code.functions.map((f) => f.cycles ?? 0));
  const rows = code.functions.filter((f) => (f.cycles ?? 0) > 0);
  return (
    <Table name="Functions" rows={rows} most={12} current={(f) => f === chosen} onPick={(f) => amend({ f: f.function, l: undefined })} columns={[
      { key: "function", title: "function", left: true, value: (f) => f.function },
      { key: "object", title: "object", left: true, value: (f) => f.object },
      { key: "cycles", title: "cycles", value: (f) => f.cycles ?? 0, show: (f) => count(f.cycles ?? 0) },
      { key: "share", title: "% of time", value: (f) => f.cycles ?? 0, show: (f) => share(f.cycles, r) },
      { key: "ipc", title: "IPC", value: (f) => (f.executions ?? 0) / (f.cycles || 1), show: (f) => ((f.executions ?? 0) / (f.cycles || 1)).toFixed(2) },
      { key: "causes", title: "by cause", left: true, value: (f) => f.cycles ?? 0, show: (f) => <Strip causes={f.causes ?? {}} whole={longest} labels={r.legend.causes} /> },
      { key: "misses", title: "L1D misses", value: (f) => f.l1d_misses ?? 0, show: (f) => some(f.l1d_misses) },
      { key: "wrong", title: "mispredicted", value: (f) => f.mispredictions ?? 0, show: (f) => some(f.mispredictions) },
    ]} />
  );
}

// Where there is room for one of them, the text comes before what is counted.
const textFirst = (narrow: boolean, counted: JSX.Element[], text: JSX.Element[]): JSX.Element[] =>
  narrow ? [...text, ...counted] : [...counted, ...text];

// Where room is short, a quarter of the indentation says as much.
function sourceText(l: SourceLine, narrow: boolean): string {
  if (l.text === null) return "(source not found)";
  return narrow ? l.text.replace(/^\s+/, (blank) => " ".repeat(Math.ceil(blank.replaceAll("\t", "    ").length / 4))) : l.text;
}

interface PaneProps { r: Result; code: Code; chosenLine: string }

function SourcePane({ r, code, lines, chosenLine }: PaneProps & { lines: SourceLine[] }) {
  const hottest = Math.max(1, ...lines.map((l) => l.cycles));
  const first = (l: SourceLine, i: number) => i === 0 || lines[i - 1]!.file !== l.file;
  const narrow = useNarrow();
  return (
    <Scroll name="Source" pane>
      <table class="code">
        <caption class="unseen">Source lines</caption>
        <thead>
          <tr>{textFirst(narrow,
            [<th scope="col">% time</th>, <th scope="col" class="left">by cause</th>, <th scope="col">ran</th>, <th scope="col">missed</th>],
            [<th scope="col">line</th>, <th scope="col" class="left">source</th>])}</tr>
        </thead>
        <tbody>
          {lines.map((l, i) => {
            const key = lineKey(l);
            const gap = i > 0 && !first(l, i) && l.line > lines[i - 1]!.line + 1;
            return [
              first(l, i) && <tr key={"f" + l.file} class="file"><td colSpan={6} class="left">{code.files[l.file]?.path}</td></tr>,
              <tr key={key} data-line={key} class={(key === chosenLine ? "current " : "") + (gap ? "gap " : "") + (l.instructions ? "" : "plain")}
                onClick={l.instructions ? () => amend({ l: key === chosenLine ? undefined : key }) : undefined}>
                {textFirst(narrow, [
                  <td>{share(l.cycles, r)}</td>,
                  <td class="left"><Strip causes={l.causes} whole={hottest} labels={r.legend.causes} /></td>,
                  <td>{some(l.executions)}</td>,
                  <td title="L1D misses and mispredictions">{some(l.misses + l.mispredictions)}</td>,
                ], [
                  <td class="faint">{l.instructions ? <button type="button" class="link" aria-pressed={key === chosenLine}>{l.line}</button> : l.line}</td>,
                  <td class="left text"><code>{sourceText(l, narrow)}</code></td>,
                ])}
              </tr>,
            ];
          })}
        </tbody>
      </table>
    </Scroll>
  );
}

function AssemblyPane({ r, code, f, chosenLine }: PaneProps & { f: CodeFunction }) {
  const rows = f.instructions ?? [];
  const hottest = Math.max(1, ...rows.map((i) => i.cycles ?? 0));
  const critical = rows.some((i) => i.critical);
  const chain = new Set(r.critical?.hottest_loop?.chain.map((s) => s.pc) ?? []);
  const memory = rows.some((i) => i.memory_accesses);
  const jump = rows.some((i) => i.mispredictions);
  const pane = useRef<HTMLDivElement>(null);
  const narrow = useNarrow();
  useEffect(() => { // the line's costliest instruction into sight
    const box = pane.current;
    const top = rows.filter((i) => lineKey(i) === chosenLine && chosenLine !== "").sort((a, b) => (b.cycles ?? 0) - (a.cycles ?? 0))[0];
    const row = top && box?.querySelector<HTMLElement>(`[data-pc="${top.pc}"]`);
    if (box && row) box.scrollTop = row.offsetTop - box.clientHeight / 3;
  }, [chosenLine, f]);
  return (
    <Scroll name="Instructions" pane box={pane}>
      <table class="code">
        <caption class="unseen">Instructions of {f.function}</caption>
        <thead>
          <tr>
            {textFirst(narrow, [<th scope="col">% time</th>, <th scope="col" class="left">by cause</th>],
              [<th scope="col" class="left">address</th>, <th scope="col" class="left">instruction</th>])}
            <th scope="col">ran</th><th scope="col">L1D misses</th>
            {memory && <th scope="col">to memory</th>}{jump && <th scope="col">mispredicted</th>}
            {critical && <th scope="col" title="percent of the time that it is worth, by the critical path">cost %</th>}
            {critical && <th scope="col" title="cycles that it could be later, on average">slack</th>}
          </tr>
        </thead>
        <tbody>
          {rows.map((i, at) => {
            const key = lineKey(i);
            const gap = at > 0 && i.pc > rows[at - 1]!.pc + 4;
            const inlined = inlinedPath(code, i.inlined);
            return (
              <tr key={i.pc} data-pc={i.pc} class={(key !== "" && key === chosenLine ? "current " : "") + (gap ? "gap " : "") + (i.executions ? "" : "plain")}
                title={inlined ? `inlined: ${inlined}` : undefined} onClick={key ? () => amend({ l: key }) : undefined}>
                {textFirst(narrow, [
                  <td>{share(i.cycles, r)}</td>,
                  <td class="left"><Strip causes={i.causes ?? {}} whole={hottest} labels={r.legend.causes} /></td>,
                ], [
                  <td class="left faint" title={hex(i.pc)}><code>{f.start ? "+" + (i.pc - f.start).toString(16) : hex(i.pc)}</code></td>,
                  <td class="left">{chain.has(i.pc) && <span class="link-mark" title="on the chain of the hottest loop">{"\u25c6"} </span>}<code>{i.text}</code></td>,
                ])}
                <td>{some(i.executions)}</td>
                <td>{some(i.l1d_misses)}</td>
                {memory && <td>{some(i.memory_accesses)}</td>}
                {jump && <td>{some(i.mispredictions)}</td>}
                {critical && <td>{i.critical?.cost ? percent(i.critical.cost, r.cycles) : ""}</td>}
                {critical && <td>{i.critical && i.executions ? decimals(i.critical.mean_slack, 1) : ""}</td>}
              </tr>
            );
          })}
        </tbody>
      </table>
    </Scroll>
  );
}

export function CodeView() {
  const r = useResult();
  const { keys } = useFragment();
  const code = useMemo(() => r.code ?? withoutCode(r), [r]);
  const chosen = code.functions.find((f) => f.function === keys.f || f.symbol === keys.f) ?? code.functions[0];
  const lines = useMemo(() => (chosen ? sourceLines(code, chosen) : []), [code, chosen]);
  if (!chosen) return <p>No function ran.</p>;
  const hottest = lines.reduce<SourceLine | null>((a, b) => (!a || b.cycles > a.cycles ? b : a), null);
  const chosenLine = keys.l ?? (hottest ? lineKey(hottest) : "");
  const causes = byAmount(chosen.causes ?? {});
  const listed = chosen.instructions ?? [];
  return (
    <>
      <Functions r={r} code={code} chosen={chosen} />
      <h3>{chosen.function} <small class="faint">in {chosen.object}: {share(chosen.cycles, r)} of the time</small></h3>
      <Legend entries={causes.map(([name, n]) => ({ name, label: r.legend.causes[name], share: n / (chosen.cycles || 1), text: percent(n, chosen.cycles ?? 0) }))} />
      {listed.length === 0 ? (
        <p class="note">The result has no instructions of this function: <code>--json-code N</code> says of how many functions it has.</p>
      ) : (
        <>
          <p class="note">
            {lines.length > 0 ? "Choose a line to mark its instructions. " : "No source: the object has no line table. "}
            A cycle is charged to the instruction that commit waited for.{r.critical?.hottest_loop && " \u25c6: on the chain of the hottest loop."}
          </p>
          <div class={lines.length ? "sides" : ""}>
            {lines.length > 0 && <SourcePane r={r} code={code} lines={lines} chosenLine={chosenLine} />}
            <AssemblyPane r={r} code={code} f={chosen} chosenLine={chosenLine} />
          </div>
        </>
      )}
    </>
  );
}
