// culprit sweep: many points, compared.
import type { Amounts } from "../data";
import { count, signed } from "../format";
import { Bars, type Bar } from "../parts/bars";
import { Chart } from "../parts/chart";
import { Curves, type Curve } from "../parts/curves";
import { Legend } from "../parts/legend";
import { useResult } from "../parts/subject";
import { Table, type Column } from "../parts/table";
import { MachineView } from "../views/machine";
import type { Kind } from "./kind";

interface Point {
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

export interface Sweep {
  title: string;
  complete: boolean;
  axes: { name: string; key: string | null }[];
  cause_labels: Record<string, string>;
  points: Point[];
}

const useSweep = (): Sweep => useResult() as unknown as Sweep;

// Points of one program and region.
function groups(s: Sweep): [string, Point[]][] {
  const all = new Map<string, Point[]>();
  for (const p of s.points) {
    const name = p.region === "all" ? p.program : `${p.program}, region ${p.region}`;
    all.set(name, [...(all.get(name) ?? []), p]);
  }
  return [...all];
}

const setting = (p: Point, axis: string) => p.settings[axis]!.value + (p.settings[axis]!.default ? "*" : "");
const nameOf = (s: Sweep, p: Point) => [p.machine, ...s.axes.map((a) => setting(p, a.name))].join(", ");

function PointsView() {
  const s = useSweep();
  const columns: Column<Point>[] = [
    { key: "number", title: "#", value: (p) => -p.number, show: (p) => p.number },
    { key: "machine", title: "machine", left: true, value: (p) => p.machine },
    ...s.axes.map((a): Column<Point> => ({ key: a.name, title: a.name, left: true, value: (p) => setting(p, a.name) })),
    { key: "ipc", title: "IPC", value: (p) => (p.done ? p.ipc : null), show: (p) => (p.done ? p.ipc.toFixed(3) : "-") },
    { key: "cpi", title: "CPI", value: (p) => (p.done ? p.cpi : null), show: (p) => (p.done ? p.cpi.toFixed(3) : "-") },
    { key: "cycles", title: "cycles", value: (p) => (p.done ? p.cycles : null), show: (p) => (p.done ? count(p.cycles) : "-") },
    { key: "speedup", title: "speedup", help: "cycles of the default over the point's", value: (p) => p.speedup ?? null,
      show: (p) => (p.number === p.reference ? "1.000 (default)" : p.speedup?.toFixed(3) ?? "-") },
    { key: "moved", title: "moved most, CPI", left: true, help: "the part of the CPI stack that differs most from the default's",
      value: (p) => p.moved_most?.component ?? "",
      show: (p) => (p.trouble ? p.trouble : p.moved_most ? `${p.moved_most.component} ${signed(p.moved_most.cpi, 3)}` : "") },
  ];
  return (
    <>
      <p class="note">Each point is compared with the default of its program and region. * marks what the machine has anyway.</p>
      {groups(s).map(([name, points]) => (
        <section key={name}>
          <h3>{name}</h3>
          <Table name={`Points: ${name}`} rows={points} columns={columns} current={(p) => p.number === p.reference} />
        </section>
      ))}
    </>
  );
}

const shortened = (text: string) => (text.length > 19 ? text.slice(0, 18) + "\u2026" : text);

function bars(s: Sweep, points: Point[]): Bar[] {
  const reference = s.points[points[0]!.reference - 1]!;
  const whole = reference.done ? reference.cpi : Math.max(...points.filter((p) => p.done).map((p) => p.cpi), 1e-9);
  return points.filter((p) => p.done).map((p) => ({
    label: shortened([`${p.number}`, s.axes.length ? s.axes.map((a) => setting(p, a.name)).join(", ") : p.machine].join(" ")), whole,
    parts: Object.entries(p.causes).map(([name, n]) => ({ name, label: s.cause_labels[name], amount: n / p.instructions })),
  }));
}

function StacksOfPoints() {
  const s = useSweep();
  return (
    <>
      {groups(s).map(([name, points]) => {
        const seen = Object.keys(s.cause_labels).filter((c) => points.some((p) => p.done && p.causes[c]! / p.cycles >= 0.005));
        return (
          <section key={name}>
            <Chart title={`CPI stacks: ${name}`} note="Time for each instruction by cause, in percent of the default's time. A bar is a point."
              legend={<Legend entries={seen.map((c) => ({ name: c, label: s.cause_labels[c] }))} />}>
              <Bars label={`CPI stacks of ${name}`} bars={bars(s, points)} />
            </Chart>
            <ol class="points">
              {points.map((p) => <li key={p.number} value={p.number}>{nameOf(s, p)}{p.number === p.reference ? " (the default)" : ""}</li>)}
            </ol>
            <details class="data">
              <summary>As a table</summary>
              <Table name={`Parts: ${name}`} rows={seen} columns={[
                { key: "cause", title: "part of CPI", left: true, value: (c) => s.cause_labels[c]! },
                ...points.filter((p) => p.done).map((p): Column<string> => ({ key: String(p.number), title: `#${p.number}`,
                  value: (c) => p.causes[c]! / p.instructions, show: (c) => (p.causes[c]! / p.instructions).toFixed(3) })),
              ]} />
            </details>
          </section>
        );
      })}
    </>
  );
}

const distinct = (list: string[]): string[] => [...new Set(list)];

function curvesOf(s: Sweep, points: Point[], axis: string): Curve[] {
  const values = distinct(points.map((p) => p.settings[axis]!.value));
  const others = s.axes.filter((a) => a.name !== axis).map((a) => a.name);
  const all = new Map<string, Curve>();
  for (const p of points) {
    const name = [p.machine, ...others.map((o) => p.settings[o]!.value)].join(", ");
    const curve = all.get(name) ?? { name, y: values.map(() => null) };
    const at = values.indexOf(p.settings[axis]!.value);
    curve.y[at] = p.done ? p.ipc : null;
    if (p.settings[axis]!.default) curve.marked = at;
    all.set(name, curve);
  }
  return [...all.values()];
}

function CurvesOfAxes() {
  const s = useSweep();
  return (
    <>
      {s.axes.flatMap((a) => groups(s).map(([name, points]) => {
        const values = distinct(points.map((p) => p.settings[a.name]!.value));
        return values.length < 2 ? null : (
          <Chart key={a.name + name} title={`IPC over ${a.name}: ${name}`} note="A filled mark is what the machine has anyway.">
            <Curves label={`IPC over ${a.name}, ${name}`} x={values} xLabel={a.name} curves={curvesOf(s, points, a.name)} />
          </Chart>
        );
      }))}
    </>
  );
}

export function sweepKind(result: unknown): Kind {
  const s = result as Sweep;
  const done = s.points.filter((p) => p.done).length;
  return {
    subject: s.title,
    heading: s.title,
    summary: <>{s.points.length} points, {done} done{!s.complete && <b> (the same command goes on)</b>}</>,
    views: [
      { name: "points", title: "Points", question: "Which is fastest, and what moved?", has: true, needs: "", body: PointsView },
      { name: "stacks", title: "Stacks", question: "What does each point wait for?", has: done > 0, needs: "a point that is done", body: StacksOfPoints },
      { name: "curves", title: "Curves", question: "What does a value bring?",
        has: s.axes.some((a) => distinct(s.points.map((p) => p.settings[a.name]!.value)).length > 1), needs: "an axis with two values",
        body: CurvesOfAxes },
      { name: "machine", title: "Command", question: "How to do it again?", has: true, needs: "", body: MachineView },
    ],
  };
}
