// The result as `culprit run --json` writes it (schemas/run.schema.json): what the page reads of it.
export type Amounts = Record<string, number>;

export interface FunctionRow {
  function: string;
  object: string;
  place: string | null;
  cycles: number;
  instructions: number;
  causes: Amounts;
}

export interface Site {
  pc: number;
  function: string;
  object: string;
  line: string | null;
  executions: number;
  cycles: number;
  commit_stack: Amounts;
  causes: Amounts;
  refill: number;
  mispredictions: number;
  l1d_misses: number;
  memory_accesses: number;
}

export interface Base {
  error_percent: number;
  trusted: boolean;
  not_modelled: string[];
}

export interface GraphSet {
  classes: string[];
  cycles: number;
  cost: number;
  icost: number;
}

export interface Graph {
  graph_cycles: number;
  simulated_cycles: number;
  base: Base;
  breakdown: { term: string; percent: number; kind: string }[];
  shapley: Amounts;
  sets: GraphSet[];
}

export interface StallNode {
  set: string;
  name: string;
  total: number;
  own: number;
  children?: StallNode[];
  small?: number;
}

export interface Stalls {
  width: number;
  place: string | null;
  opportunities: number;
  lost: number;
  leaves: Amounts;
  nodes: Amounts;
  types: { set: string; name: string; label: string; meaning: string }[];
  tree: StallNode[];
  intervals?: { first: number; cycles: number; lost: number; leaves: Amounts; tops: Amounts }[];
}

export interface CriticalRow {
  executions: number;
  path: number;
  path_by_kind: Amounts;
  visits: number;
  cost: number | null;
  saved_by_one_cycle: number | null;
  mean_slack: number | null;
  least_slack: number | null;
  zero_slack: number;
  function?: string;
  object?: string;
  line?: string | null;
  file?: string;
  pc?: number;
  text?: string;
  place?: string;
  next?: string;
  next_taken?: number;
}

export interface Critical {
  graph_cycles: number;
  simulated_cycles: number;
  base: Base;
  path_by_kind: Amounts;
  tied: number;
  functions: CriticalRow[];
  lines: CriticalRow[];
  instructions: CriticalRow[];
  hottest_loop: null | {
    first: number;
    end: number;
    place: string;
    line: string | null;
    iterations: number;
    path: number;
    chain_path: number;
    chain: CriticalRow[];
  };
}

export interface Stacks {
  cycles: Record<string, Amounts>;
  overcharged: Record<string, boolean>;
  storage_bits: Amounts;
  stages: Record<string, Amounts> & { slots_per_cycle: number };
  topdown: { slots_per_cycle: number; slots: Amounts };
  overlaps: Amounts;
  events: Amounts;
  penalties: Record<string, Record<string, number | null>>;
}

// Counts that are 0 are left out.
export interface Counts {
  executions?: number;
  cycles?: number;
  causes?: Amounts;
  mispredictions?: number;
  refill?: number;
  l1d_misses?: number;
  l2_misses?: number;
  memory_accesses?: number;
}

export interface Instruction extends Counts {
  pc: number;
  text: string;
  file?: number;
  line?: number;
  inlined?: number;
  critical?: { path: number; cost: number | null; saved_by_one_cycle: number | null; mean_slack: number | null };
}

export interface CodeFunction extends Counts {
  function: string;
  symbol: string | null;
  object: string;
  start: number;
  end: number;
  instructions?: Instruction[];
}

export interface Code {
  causes: { name: string; label: string }[];
  outside: number;
  files: { path: string; lines: { line: number; text: string }[] }[];
  inlined: { function: string; file?: number; line?: number; outer?: number }[];
  functions: CodeFunction[];
}

export interface Phases {
  slice: number;
  causes: string[];
  first: number[];
  cycles: number[];
  instructions: number[];
  by_cause: number[][];
}

export interface PipelineWindow {
  first: number;
  first_cycle: number;
  cycles: number;
  share_off: number;
  instructions: Record<string, number[] | string>;
  squashed: Record<string, number[] | string>;
}

export interface Pipeline {
  first: number;
  first_cycle: number;
  cycles: number;
  share_off: number;
  causes: string[];
  fronts: string[];
  code: { pc: number; text: string; function: string; object: string; offset: number; line: string | null }[];
  instructions: Record<string, number[]>;
  squashed: Record<string, number[]>;
  others?: PipelineWindow[];
}

export interface Rate {
  accesses?: number;
  misses?: number;
  wrong_path_misses?: number;
  committed?: number;
  mispredicted?: number;
}

export interface Result {
  schema: string;
  culprit: string;
  machine: string | null;
  program: string;
  exit_status: number | null;
  complete: boolean;
  skipped: number;
  warmed: number;
  instructions: number;
  cycles: number;
  ipc: number;
  verdict?: { rule: string; text: string }[];
  next?: { options: string; command: string | null; why: string }[];
  commit_stack?: Amounts;
  caches?: Record<string, Rate>;
  branches?: Record<string, Rate>;
  counts?: Amounts;
  functions?: FunctionRow[];
  causes?: Amounts;
  sites?: Site[];
  sites_in_all?: number;
  code?: Code;
  host_seconds: number;
  mips: number; // undefined in results that are no run's
  graph?: Graph;
  critical?: Critical;
  stacks?: Stacks;
  stalls?: Stalls;
  shotgun?: { cpi: number; counted_cpi: number; sets: GraphSet[]; breakdown: Graph["breakdown"] };
  phases?: Phases;
  pipeline?: Pipeline;
  provenance: {
    version: string;
    commit: string;
    compiler: string;
    words: (string | null)[];
    directory: string | null;
    options: Record<string, unknown>;
    arguments: (string | null)[];
    seed: number;
    guest_seed: number;
    machine_name: string | null;
    machine: Record<string, unknown> | null;
    files: { role: string; path: string; sha256: string | null }[];
  };
  // only of pages: what names mean
  legend: { commit_stack: Record<string, string>; causes: Record<string, string> };
}

function bytes(base64: string): Uint8Array {
  const text = atob(base64);
  const all = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) all[i] = text.charCodeAt(i);
  return all;
}

export async function readResult(): Promise<Result> {
  const packed = bytes(document.getElementById("data")!.textContent!.trim());
  const stream = new Blob([packed as BlobPart]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}
