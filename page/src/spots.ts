// The worst branches and loads, by the rules of src/run/places.c: an instruction's place is its line, else itself; a branch weighs the
// cycles of the refills behind it, a load those that commit waited for it.
import type { Code, CodeFunction, Instruction, Result } from "./data";
import { hex } from "./format";

export interface Spot {
  kind: "branch" | "load";
  place: string;
  function: string;
  line: string; // key of the line in the view Code
  executions: number;
  missed: number;
  cycles: number;
}

const LEAST = 0.005; // of the time

const waited = (i: Instruction): number => ["memory", "cache", "tlb", "l1"].reduce((n, cause) => n + (i.causes?.[cause] ?? 0), 0);

// "main+0x1a"; of an object without symbols, whose functions are called "gzip+0x3a40": "gzip+0x3ade"; the address where no object is.
function offsetOf(f: CodeFunction, pc: number): string {
  if (!f.symbol && /^0x[0-9a-f]+$/.test(f.function)) return hex(pc);
  const base = !f.symbol && f.function.startsWith(`${f.object}+0x`) ? parseInt(f.function.slice(f.object.length + 1), 16) : 0;
  return `${base ? f.object : f.function}+${hex(pc - f.start + base)}`;
}

function placeOf(code: Code, f: CodeFunction, i: Instruction): string {
  if (i.file === undefined) return offsetOf(f, i.pc);
  const path = code.files[i.file]!.path;
  return `${path.slice(path.lastIndexOf("/") + 1)}:${i.line}`;
}

function spotsOf(code: Code, f: CodeFunction): Spot[] {
  const spots = new Map<string, Spot>();
  const add = (kind: Spot["kind"], i: Instruction, cycles: number, missed: number) => {
    const line = i.file === undefined ? "" : `${i.file}:${i.line}`;
    const key = `${kind} ${line || i.pc}`;
    const spot = spots.get(key) ?? { kind, place: placeOf(code, f, i), function: f.function, line, executions: 0, missed: 0, cycles: 0 };
    spot.executions += i.executions ?? 0;
    spot.missed += missed;
    spot.cycles += cycles;
    spots.set(key, spot);
  };
  for (const i of f.instructions ?? []) {
    if (i.mispredictions) add("branch", i, i.refill ?? 0, i.mispredictions);
    if (waited(i)) add("load", i, waited(i), i.l1d_misses ?? 0);
  }
  return [...spots.values()];
}

export function worstSpots(r: Result): Spot[] {
  const code = r.code;
  if (!code) return [];
  return code.functions.flatMap((f) => spotsOf(code, f)).filter((s) => s.cycles >= LEAST * r.cycles).sort((a, b) => b.cycles - a.cycles);
}
