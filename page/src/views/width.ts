// Instructions that the machine can commit in a cycle.
import type { Result } from "../data";

export function width(r: Result): number {
  const commit = r.provenance.machine?.commit as { width?: number } | undefined;
  return commit?.width ?? 1;
}
