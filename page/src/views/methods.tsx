// Every method's answer to the same question: how much of the time is it? And how far each has been right.
import { colour } from "../colours";
import type { Amounts, Result } from "../data";
import { sum } from "../format";
import { useResult } from "../parts/subject";
import { Table } from "../parts/table";

interface Method {
  name: string;
  says: string; // what its figure is
  error: string; // against re-simulation, on the twelve programs of the manual
  page: string; // of the manual
  shares: (r: Result) => Amounts | null; // percent by event class
}

const CLASSES = ["dl1", "win", "bw", "bmisp", "dmiss", "shalu", "lgalu", "imiss"];

// Rows of a method, each to the event class that it is part of.
function gather(amounts: Amounts | undefined, whole: number, classes: Record<string, string[]>): Amounts | null {
  if (!amounts) return null;
  return Object.fromEntries(Object.entries(classes).map(([c, rows]) =>
    [c, (100 * rows.reduce((n, row) => n + (amounts[row] ?? 0), 0)) / whole]));
}

const costs = (sets: { classes: string[]; cost: number }[], whole: number): Amounts =>
  Object.fromEntries(sets.filter((s) => s.classes.length === 1).map((s) => [s.classes[0]!, (100 * s.cost) / whole]));

const leaf = (r: Result, test: (set: string, name: string) => boolean): number =>
  Object.entries(r.stalls!.leaves).reduce((n, [key, a]) => {
    const [set, name] = key.split(".") as [string, string];
    return test(set, name) ? n + a : n;
  }, 0);

function stallShares(r: Result): Amounts | null {
  if (!r.stalls) return null;
  const part = (test: (set: string, name: string) => boolean) => (100 * leaf(r, test)) / r.stalls!.opportunities;
  return {
    dl1: part((s, n) => s === "execute" && n.endsWith("load")),
    win: part((s, n) => s === "dispatch" && n !== "width"),
    bw: part((s, n) => s === "queues" || (s === "dispatch" && n === "width") || (s === "fetch" && /taken_limit|line_end/.test(n)) || (s === "commit" && /ports/.test(n))),
    bmisp: part((s) => s === "predictor"),
    dmiss: part((s) => s === "memory"),
    shalu: part((s, n) => s === "execute" && /int_alu|branch/.test(n)),
    lgalu: part((s, n) => s === "execute" && !/int_alu|branch|load/.test(n)),
    imiss: part((s, n) => s === "fetch" && /l1i|itlb|l2|l3|memory/.test(n)),
  };
}

const METHODS: Method[] = [
  { name: "graph", says: "cost: the time without it", error: "0.4 points on average", page: "graph",
    shares: (r) => r.graph ? costs(r.graph.sets, r.graph.graph_cycles) : null },
  { name: "graph, split", says: "with interactions split evenly (Shapley)", error: "as the graph", page: "graph",
    shares: (r) => r.graph ? Object.fromEntries(Object.entries(r.graph.shapley).map(([c, n]) => [c, (100 * n) / r.graph!.graph_cycles])) : null },
  { name: "shotgun", says: "cost, from samples", error: "8.1% of costs above 5%", page: "shotgun",
    shares: (r) => {
      if (!r.shotgun) return null;
      const base = r.shotgun.sets.find((s) => s.classes.length === 0)?.cycles ?? 0;
      return costs(r.shotgun.sets, base || 1);
    } },
  { name: "commit stack", says: "share of cycles that commit waits", error: "exact as shares; no gains", page: "stacks",
    shares: (r) => gather(r.causes, r.cycles, { dl1: ["l1"], bw: ["slots", "limit", "front"], bmisp: ["mispredict"],
      dmiss: ["memory", "cache", "tlb", "stores"], shalu: ["short_op"], lgalu: ["long_op"], imiss: ["code"] }) },
  { name: "critical path", says: "share of one longest path", error: "as the graph's time: at most 0.1%", page: "critical",
    shares: (r) => gather(r.critical?.path_by_kind, r.critical?.graph_cycles ?? 1, { dl1: ["dl1"], win: ["win"],
      bw: ["fetch", "dispatch", "issue", "commit"], bmisp: ["bmisp"], dmiss: ["dl2", "dl3", "dmem", "dtlb", "dshare"],
      shalu: ["shalu"], lgalu: ["lgalu"], imiss: ["il2", "il3", "imem", "itlb", "ishare"] }) },
  { name: "stall tree", says: "share of commit slots, by root cause", error: "rank correlation 0.64 with costs", page: "stalls", shares: stallShares },
  ...([["hybrid", "2.5%"], ["fmt", "6.9%"], ["power5", "18%"], ["naive", "25%"]] as const).map(([name, error]): Method => ({
    name: `counters: ${name}`, says: "CPI stack of hardware counters", error: `worst component off by ${error} of the cycles`, page: "stacks",
    shares: (r) => gather(r.stacks?.cycles[name], r.cycles, { bmisp: ["bmisp"], dmiss: ["l1d", "l2d", "dtlb"], lgalu: ["unit"],
      imiss: ["l1i", "l2i", "itlb"] }) })),
];

export function MethodsView() {
  const r = useResult();
  const rows = METHODS.map((m) => ({ ...m, found: m.shares(r) })).filter((m) => m.found);
  const most = Math.max(1, ...rows.flatMap((m) => Object.values(m.found!)));
  return (
    <>
      <p class="note">
        Percent of the time for each event class. Shares and costs need not agree: what waits side by side has a share each, and is worth nothing alone.
        Costs are the ones to act on. An empty cell: the method has no such class.
      </p>
      <Table name="Methods side by side" rows={rows} columns={[
        { key: "name", title: "method", left: true, value: (m) => m.name, show: (m) => <b>{m.name}</b> },
        { key: "says", title: "its figure is", left: true, value: (m) => m.says },
        ...CLASSES.map((c) => ({
          key: c, title: c, value: (m: (typeof rows)[number]) => m.found![c] ?? null,
          show: (m: (typeof rows)[number]) => m.found![c] === undefined ? "" : (
            <span class="level" style={{ "--part": `${(100 * Math.max(0, m.found![c]!)) / most}%`, "--tint": colour(c) }}>{m.found![c]!.toFixed(1)}</span>),
        })),
        { key: "error", title: "error against re-simulation", left: true, value: (m) => m.error },
      ]} />
      <p class="note">
        Errors are those of twelve real programs against idealised re-simulation (the manual: <code>docs/explanation/truth.md</code> and the page of
        each method). <code>culprit truth --score graph,stacks</code> measures them on this program.
      </p>
      {r.stacks && sum(r.stacks.overlaps) > 0 && (
        <p class="note">{((100 * (r.stacks.overlaps.contested ?? 0)) / r.cycles).toFixed(2)}% of the cycles could be claimed by more than one event: there counters differ by their rules.</p>
      )}
    </>
  );
}
