// IPC over the values of each axis.
import { count } from "../format";
import { Chart } from "../parts/chart";
import { Curves, type Curve } from "../parts/curves";
import { dimensions, useChoice } from "./choice";
import { Chosen } from "./chosen";
import { distinct, groups, useSweep, type Point, type Sweep } from "./data";

const MOST = 16; // curves that can still be told apart

function curvesOf(s: Sweep, points: Point[], axis: string): Curve[] {
  const values = distinct(points.map((p) => p.settings[axis]!.value));
  const others = s.axes.filter((a) => a.name !== axis).map((a) => a.name);
  const all = new Map<string, Curve & { far: number }>();
  for (const p of points) {
    const name = [p.machine, ...others.map((o) => p.settings[o]!.value)].join(", ");
    const far = others.filter((o) => !p.settings[o]!.default).length; // values other than the default's
    const curve = all.get(name) ?? { name, y: values.map(() => null), far };
    const at = values.indexOf(p.settings[axis]!.value);
    curve.y[at] = p.done ? p.ipc : null;
    if (p.settings[axis]!.default) curve.marked = at;
    all.set(name, curve);
  }
  return [...all.values()].sort((a, b) => a.far - b.far);
}

export function CurvesOfAxes() {
  const s = useSweep();
  const all = dimensions(s);
  const choice = useChoice(s, all);
  return (
    <>
      <Chosen all={all} choice={choice} />
      {s.axes.flatMap((a) => groups(choice.points).map(([name, points]) => {
        const values = distinct(points.map((p) => p.settings[a.name]!.value));
        if (values.length < 2) return null;
        const curves = curvesOf(s, points, a.name);
        const rest = curves.length > MOST ? ` These are the ${MOST} of ${count(curves.length)} curves that differ least from the default: choose points to see others.` : "";
        return (
          <Chart key={a.name + name} title={`IPC over ${a.name}: ${name}`} note={"A filled mark is what the machine has anyway." + rest}>
            <Curves label={`IPC over ${a.name}, ${name}`} x={values} xLabel={a.name} curves={curves.slice(0, MOST)} />
          </Chart>
        );
      }))}
    </>
  );
}
