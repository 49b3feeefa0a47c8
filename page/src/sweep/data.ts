// The result of `culprit sweep` (schemas/sweep.schema.json), and what stands in its points.
import type { Amounts } from "../data";
import { flatten } from "../flatten";
import { useResult } from "../parts/subject";

export interface Point {
  number: number;
  machine: string;
  program: string;
  region: string;
  settings: Record<string, { value: string; default: boolean }>;
  reference: number;
  command: string;
  done: boolean;
  trouble: string | null;
  instructions: number;
  cycles: number;
  ipc: number;
  cpi: number;
  speedup: number | null;
  moved_most: { component: string; cpi: number } | null;
  causes: Amounts;
}

export interface Axis {
  name: string;
  key: string | null;
  values: { name: string; sets: string[] }[];
}

export interface Sweep {
  title: string;
  complete: boolean;
  machines: { name: string; keys: unknown }[];
  axes: Axis[];
  cause_labels: Record<string, string>;
  points: Point[];
}

export const useSweep = (): Sweep => useResult() as unknown as Sweep;

export const groupOf = (p: Point): string => (p.region === "all" ? p.program : `${p.program}, region ${p.region}`);

// Points of one program and region.
export function groups(points: Point[]): [string, Point[]][] {
  const all = new Map<string, Point[]>();
  for (const p of points) {
    const group = all.get(groupOf(p));
    if (group) group.push(p);
    else all.set(groupOf(p), [p]);
  }
  return [...all];
}

export const setting = (p: Point, axis: string): string => p.settings[axis]!.value + (p.settings[axis]!.default ? "*" : "");
export const nameOf = (s: Sweep, p: Point): string => [p.machine, ...s.axes.map((a) => setting(p, a.name))].join(", ");
export const distinct = (list: string[]): string[] => [...new Set(list)];
export const referenceOf = (s: Sweep, p: Point): Point => s.points[p.reference - 1]!;

// A machine of the plan, key by key, before an axis changes it.
export function keysOf(s: Sweep, machine: string): Map<string, string> {
  return new Map(flatten(s.machines.find((m) => m.name === machine)?.keys ?? {}));
}

// The same with a point's values.
export function machineOf(s: Sweep, p: Point): Map<string, string> {
  const keys = keysOf(s, p.machine);
  for (const axis of s.axes)
    for (const set of axis.values.find((v) => v.name === p.settings[axis.name]!.value)?.sets ?? []) {
      const at = set.indexOf("=");
      keys.set(set.slice(0, at), set.slice(at + 1));
    }
  return keys;
}
