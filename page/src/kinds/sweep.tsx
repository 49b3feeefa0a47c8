// culprit sweep: many points, compared.
import { isCarried } from "../sweep/choice";
import { CurvesOfAxes } from "../sweep/curves";
import { distinct, type Sweep } from "../sweep/data";
import { MachinesView } from "../sweep/machines";
import { PointsView } from "../sweep/points";
import { StacksOfPoints } from "../sweep/stacks";
import { MachineView } from "../views/machine";
import type { Kind } from "./kind";

export function sweepKind(result: unknown): Kind {
  const s = result as Sweep;
  const done = s.points.filter((p) => p.done).length;
  return {
    subject: s.title,
    heading: s.title,
    summary: <>{s.points.length} points, {done} done{!s.complete && <b> (the same command goes on)</b>}</>,
    isCarried,
    views: [
      { name: "points", title: "Points", question: "Which is fastest, and what moved?", has: true, needs: "", body: PointsView },
      { name: "stacks", title: "Stacks", question: "What does each point wait for?", has: done > 0, needs: "a point that is done", body: StacksOfPoints },
      { name: "curves", title: "Curves", question: "What does a value bring?",
        has: s.axes.some((a) => distinct(s.points.map((p) => p.settings[a.name]!.value)).length > 1), needs: "an axis with two values",
        body: CurvesOfAxes },
      { name: "machines", title: "Machines", question: "What was simulated?", has: true, needs: "", body: MachinesView },
      { name: "machine", title: "Command", question: "How to do it again?", has: true, needs: "", body: MachineView },
    ],
  };
}
