// The windows of the pipeline that the run kept, by place. The nearest to the whole has lists, the others texts (see
// docs/reference/json.md): those are taken apart once a window is looked at.
import type { Pipeline, PipelineWindow } from "./data";

export interface Window {
  first: number; // number of its first instruction in the region
  firstCycle: number;
  off: number; // by how many per cent of the time its stack differs from the run's
  length: number; // instructions
  nearest: boolean;
  mostly: { cause: string; share: number } | null; // what commit waited for most, of the window's cycles
  function: string | null; // of most instructions
  open: () => Pipeline;
}

const numbers = (text: string): number[] => (text === "" ? [] : text.split(" ").map(Number));
const listOf = (column: number[] | string): number[] => (typeof column === "string" ? numbers(column) : column);

const opened = (p: Pipeline, w: PipelineWindow): Pipeline => {
  const lists = (columns: Record<string, number[] | string>) => Object.fromEntries(Object.entries(columns).map(([name, c]) => [name, listOf(c)]));
  return { ...p, ...w, instructions: lists(w.instructions), squashed: lists(w.squashed) };
};

// The key with the largest sum.
function largest(keys: number[], amount: (i: number) => number): [number, number] {
  const sums = new Map<number, number>();
  keys.forEach((k, i) => sums.set(k, (sums.get(k) ?? 0) + amount(i)));
  return [...sums].reduce((a, b) => (b[1] > a[1] ? b : a), [-1, 0]);
}

export function windowsOf(p: Pipeline): Window[] {
  const of = (w: PipelineWindow, nearest: boolean): Window => {
    const code = listOf(w.instructions.code!);
    const wait = listOf(w.instructions.wait!);
    const [cause, cycles] = largest(listOf(w.instructions.cause!), (i) => wait[i]!);
    const functions = p.code.map((c) => c.function ?? c.object ?? "");
    const names = [...new Set(functions)];
    const [name] = largest(code.map((c) => names.indexOf(functions[c]!)), () => 1);
    let own: Pipeline | null = nearest ? p : null;
    return {
      first: w.first, firstCycle: w.first_cycle, off: w.share_off, length: code.length, nearest,
      mostly: cycles > 0 ? { cause: p.causes[cause]!, share: cycles / w.cycles } : null,
      function: names[name] || null,
      open: () => (own ??= opened(p, w)),
    };
  };
  return [of(p as PipelineWindow, true), ...(p.others ?? []).map((w) => of(w, false))].sort((a, b) => a.first - b.first);
}
