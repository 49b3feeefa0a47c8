// The stall tree in two orders, and the colours of its types.
import { colour } from "./colours";
import type { StallNode } from "./data";

export interface Twig {
  key: string; // "set.name"
  total: number;
  children: Twig[];
}

const KIN: [RegExp, string][] = [
  [/^memory\..*(l2|l3)$/, "cache"], [/^memory\..*(memory|dram|bus|bandwidth)/, "memory"], [/^memory\.dtlb|^memory\..*walk/, "tlb"],
  [/^memory\./, "memory"], [/^predictor\./, "mispredict"], [/^fetch\.(violation)/, "violation"], [/^fetch\.serialise/, "serial"],
  [/^fetch\..*(l1i|itlb|il|l2|l3|memory)/, "code"], [/^fetch\./, "front"], [/^dispatch\.(empty)/, "front"], [/^dispatch\./, "window"],
  [/^queues\./, "slots"], [/^issue\.(not_selected|busy)/, "slots"], [/^issue\.wait_load|unfinished_load/, "l1"], [/^execute\.(close_)?load|close_load/, "l1"],
  [/^issue\.wait_(oldest|order)/, "order"], [/^issue\.wait/, "operand"], [/^execute\..*(int_alu|branch)/, "short_op"], [/^execute\./, "long_op"], [/^commit\..*ports?/, "limit"], [/^commit\./, "pipeline"],
];

// The cause (src/analysis/commit_cause.def, or a row of a stack) that a type is kin to.
export const stallCause = (key: string): string => KIN.find(([pattern]) => pattern.test(key))?.[1] ?? "unknown";
export const stallColour = (key: string): string => colour(stallCause(key));

const label = (n: StallNode): string => `${n.set}.${n.name}`;

// As it is recorded: from the symptom at commit down to the root cause.
export function symptomFirst(nodes: StallNode[]): Twig[] {
  return nodes.map((n) => ({ key: label(n), total: n.total, children: symptomFirst(n.children ?? []) }));
}

function add(to: Twig[], path: string[], amount: number): void {
  let level = to;
  for (const key of path) {
    let next = level.find((t) => t.key === key);
    if (!next) level.push((next = { key, total: 0, children: [] }));
    next.total += amount;
    level = next.children;
  }
}

// Turned around: from the root cause to the symptom it showed as.
export function causeFirst(nodes: StallNode[]): Twig[] {
  const roots: Twig[] = [];
  const walk = (n: StallNode, above: string[]) => {
    const path = [label(n), ...above];
    if (n.own > 0) add(roots, path, n.own);
    for (const child of n.children ?? []) walk(child, path);
  };
  nodes.forEach((n) => walk(n, []));
  const sort = (twigs: Twig[]): Twig[] => {
    twigs.sort((a, b) => b.total - a.total);
    twigs.forEach((t) => sort(t.children));
    return twigs;
  };
  return sort(roots);
}
