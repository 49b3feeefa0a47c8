// The source lines of a function, each with the sum of its instructions.
import type { Amounts, Code, CodeFunction, Instruction } from "./data";

export interface SourceLine {
  file: number;
  line: number;
  text: string | null;
  cycles: number;
  executions: number; // of the instruction that ran most often
  causes: Amounts;
  mispredictions: number;
  misses: number;
  cost: number | null;
  instructions: number;
}

export const lineKey = (i: { file?: number; line?: number }): string => (i.file === undefined ? "" : `${i.file}:${i.line}`);

function emptyLine(code: Code, file: number, line: number): SourceLine {
  const text = code.files[file]?.lines.find((l) => l.line === line)?.text ?? null;
  return { file, line, text, cycles: 0, executions: 0, causes: {}, mispredictions: 0, misses: 0, cost: null, instructions: 0 };
}

function addTo(line: SourceLine, i: Instruction): void {
  line.instructions++;
  line.cycles += i.cycles ?? 0;
  line.executions = Math.max(line.executions, i.executions ?? 0);
  line.mispredictions += i.mispredictions ?? 0;
  line.misses += i.l1d_misses ?? 0;
  for (const [name, n] of Object.entries(i.causes ?? {})) line.causes[name] = (line.causes[name] ?? 0) + n;
  const cost = i.critical?.cost;
  if (cost !== undefined && cost !== null) line.cost = (line.cost ?? 0) + cost;
}

// In the order of files and lines; between two lines of a file that are near each other, those without code, too.
export function sourceLines(code: Code, f: CodeFunction): SourceLine[] {
  const lines = new Map<string, SourceLine>();
  for (const i of f.instructions ?? []) {
    if (i.file === undefined || i.line === undefined) continue;
    let line = lines.get(lineKey(i));
    if (!line) lines.set(lineKey(i), (line = emptyLine(code, i.file, i.line)));
    addTo(line, i);
  }
  const all = [...lines.values()];
  const cycles = new Map<number, number>();
  for (const l of all) cycles.set(l.file, (cycles.get(l.file) ?? 0) + l.cycles);
  for (const file of cycles.keys()) {
    const numbers = all.filter((l) => l.file === file).map((l) => l.line).sort((a, b) => a - b);
    for (const { line } of code.files[file]?.lines ?? []) {
      const near = numbers.some((n) => Math.abs(n - line) <= 3) && line >= numbers[0]! - 2 && line <= numbers[numbers.length - 1]! + 1;
      if (near && !lines.has(`${file}:${line}`)) all.push(emptyLine(code, file, line));
    }
  }
  return all.sort((a, b) => cycles.get(b.file)! - cycles.get(a.file)! || a.file - b.file || a.line - b.line);
}

// "inner < outer", the calls that the compiler replaced.
export function inlinedPath(code: Code, index: number | undefined): string {
  const names: string[] = [];
  for (let at = index; at !== undefined && names.length < 64; at = code.inlined[at]?.outer) names.push(code.inlined[at]?.function ?? "?");
  return names.join(" < ");
}
