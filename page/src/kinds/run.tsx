// culprit run: one program on one machine.
import type { Result } from "../data";
import { count, decimals } from "../format";
import { views } from "../views";
import type { Kind } from "./kind";

export function runKind(r: Result): Kind {
  const machine = r.machine ?? "no machine";
  return {
    subject: `${r.program} on ${machine}`,
    heading: <>{r.program} <span class="on">on</span> {machine}</>,
    summary: (
      <>
        {count(r.instructions)} instructions{r.cycles !== undefined && `, ${count(r.cycles)} cycles, IPC ${decimals(r.ipc, 3)}`}
        {r.skipped + r.warmed > 0 && `; after ${count(r.skipped)} skipped and ${count(r.warmed)} warmed up`}
        {!r.complete && <b> (interrupted: of the part simulated)</b>}
      </>
    ),
    views: views.map((v) => ({ ...v, has: v.has(r) })),
  };
}
