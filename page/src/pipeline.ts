// The window of the pipeline as rows to draw: committed and squashed instructions in the order of fetch. Cycles count from
// the first fetch of the window.
import type { Pipeline } from "./data";

// enum culprit_record_flag, the bits that are shown
export const FLAG = { taken: 1, mispredicted: 2, load: 128, store: 256, forwarded: 512, merged: 1024, replayed: 16384, violated: 32768 };
export const WINDOWS = ["", "ROB", "issue queue", "load queue", "store queue", "load/store queue", "integer registers", "FP registers"];

export interface Rows {
  count: number;
  number: Int32Array; // of the committed instruction, from 0; -1 = squashed
  code: Int32Array; // -1 = not known
  fetch: Int32Array;
  dispatch: Int32Array; // -1: it never was
  ready: Int32Array;
  issue: Int32Array;
  complete: Int32Array;
  end: Int32Array; // commit or squash
  wait: Int32Array;
  cause: Uint8Array;
  front: Uint8Array;
  execution: Uint8Array;
  window: Uint8Array;
  flags: Int32Array;
  violation: Uint8Array; // of a squashed one: why
  anchor: Int32Array; // a cycle that never goes back from row to row, near where the row enters the window
  rowOf: Int32Array; // of a committed instruction
  producers: Int32Array[]; // distances
}

// Squashed instructions stand in front of the committed one that has the number of their squash's first.
function squashGroups(p: Pipeline): Map<number, number[]> {
  const groups = new Map<number, number[]>();
  const s = p.squashed;
  let place = -1;
  s.number!.forEach((number, i) => {
    const follows = i > 0 && number === s.number![i - 1]! + 1 && s.fetch![i]! + s.until![i]! === s.fetch![i - 1]! + s.until![i - 1]!;
    if (!follows) place = number;
    const list = groups.get(place);
    if (list) list.push(i);
    else groups.set(place, [i]);
  });
  return groups;
}

// `fold`: of a squash only its first instruction.
export function makeRows(p: Pipeline, fold: boolean): Rows {
  const t = p.instructions;
  const committed = t.fetch!.length;
  const groups = squashGroups(p);
  const all = committed + p.squashed.number!.length;
  const ints = (fill = 0) => new Int32Array(all).fill(fill);
  const rows: Rows = {
    count: 0, number: ints(-1), code: ints(-1), fetch: ints(), dispatch: ints(-1), ready: ints(-1), issue: ints(-1), complete: ints(-1),
    end: ints(), wait: ints(), cause: new Uint8Array(all), front: new Uint8Array(all), execution: new Uint8Array(all),
    window: new Uint8Array(all), flags: ints(), violation: new Uint8Array(all), anchor: ints(), rowOf: new Int32Array(committed),
    producers: [t.rs1!, t.rs2!, t.rs3!, t.store!].map((c) => Int32Array.from(c)),
  };
  let fetch = 0;
  for (let i = 0; i < committed; i++) {
    const squashed = groups.get(i) ?? [];
    for (const s of fold ? squashed.slice(0, 1) : squashed) addSquashed(rows, p, s);
    fetch += i ? t.fetch![i]! : 0;
    addCommitted(rows, p, i, fetch);
  }
  let anchor = 0;
  for (let row = 0; row < rows.count; row++) {
    anchor = Math.max(anchor, rows.dispatch[row]! >= 0 ? rows.dispatch[row]! : rows.fetch[row]!);
    rows.anchor[row] = anchor;
  }
  return rows;
}

// Cycles that a screen of so many rows spans, three times out of four.
export function usualSpan(rows: Rows, visible: number): number {
  const spans: number[] = [];
  for (let row = 0; row + visible < rows.count; row += Math.max(1, Math.floor(visible / 2)))
    spans.push(Math.max(rows.end[row]!, rows.end[row + visible]!) - rows.anchor[row]!);
  spans.sort((a, b) => a - b);
  return spans[Math.floor(spans.length * 0.75)] ?? 100;
}

function addSquashed(rows: Rows, p: Pipeline, s: number): void {
  const at = rows.count++;
  const q = p.squashed;
  rows.fetch[at] = q.fetch![s]!;
  rows.dispatch[at] = q.dispatch![s]! < 0 ? -1 : q.fetch![s]! + q.dispatch![s]!;
  rows.end[at] = q.fetch![s]! + q.until![s]!;
  rows.violation[at] = q.why![s]!;
}

function addCommitted(rows: Rows, p: Pipeline, i: number, fetch: number): void {
  const t = p.instructions;
  const at = rows.count++;
  rows.rowOf[i] = at;
  rows.number[at] = i;
  rows.code[at] = t.code![i]!;
  rows.fetch[at] = fetch;
  rows.dispatch[at] = fetch + t.dispatch![i]!;
  rows.ready[at] = rows.dispatch[at]! + t.ready![i]!;
  rows.issue[at] = rows.ready[at]! + t.issue![i]!;
  rows.complete[at] = rows.issue[at]! + t.complete![i]!;
  rows.end[at] = rows.complete[at]! + t.commit![i]!;
  rows.wait[at] = t.wait![i]!;
  rows.cause[at] = t.cause![i]!;
  rows.front[at] = t.front![i]!;
  rows.execution[at] = t.execution![i]!;
  rows.window[at] = t.window![i]!;
  rows.flags[at] = t.flags![i]!;
}

// Rows of what this one waited for: makers of its operands.
export function producersOf(rows: Rows, row: number): { row: number; what: string }[] {
  const i = rows.number[row]!;
  if (i < 0) return [];
  const names = ["rs1", "rs2", "rs3", "store"];
  return rows.producers.flatMap((column, p) => {
    const from = column[i]! > 0 ? i - column[i]! : -1;
    return from >= 0 ? [{ row: rows.rowOf[from]!, what: names[p]! }] : [];
  });
}

// The last-arriving chain back from an instruction's commit: at each step what came last, by the recorded times.
export function chainFrom(rows: Rows, last: number): Map<number, string> {
  const chain = new Map<number, string>();
  let i = last;
  let stage: "commit" | "complete" | "ready" | "dispatch" = "commit";
  const note = (row: number, what: string) => chain.set(row, (chain.get(row) ?? "") + what);
  while (i >= 0) {
    const row = rows.rowOf[i]!;
    if (stage === "commit") {
      // it waited for the one before, if that left in the same cycle or the one before
      const before = i > 0 ? rows.end[rows.rowOf[i - 1]!]! : -1;
      if (rows.wait[row]! === 0 && before >= rows.complete[row]! && i > 0) i--;
      else { note(row, "c"); stage = "complete"; }
    } else if (stage === "complete") {
      note(row, "x");
      stage = "ready";
    } else if (stage === "ready") {
      const made = producersOf(rows, row).filter((p) => rows.complete[p.row]! > rows.dispatch[row]!)
        .sort((a, b) => rows.complete[b.row]! - rows.complete[a.row]!)[0];
      note(row, "r");
      if (made) { i = rows.number[made.row]!; stage = "complete"; } else stage = "dispatch";
    } else {
      note(row, "d");
      const held = rows.window[row]!;
      if (held) {
        let k = i - 1;
        while (k >= 0 && rows.end[rows.rowOf[k]!]! > rows.dispatch[row]!) k--;
        i = k;
        stage = "commit";
      } else {
        const branch = i > 0 && rows.flags[rows.rowOf[i - 1]!]! & FLAG.mispredicted;
        i--;
        stage = branch ? "complete" : "dispatch";
      }
    }
  }
  return chain;
}
