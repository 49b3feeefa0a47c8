// The CPI stack of each point.
import { count } from "../format";
import { Bars, type Bar } from "../parts/bars";
import { Chart } from "../parts/chart";
import { Legend } from "../parts/legend";
import { Table, type Column } from "../parts/table";
import { dimensions, useChoice } from "./choice";
import { Chosen } from "./chosen";
import { groups, nameOf, referenceOf, setting, useSweep, type Point, type Sweep } from "./data";

const MOST = 40; // bars that can still be read

// All, or the fastest.
const shown = (points: Point[]): Point[] => points.length <= MOST ? points
  : points.filter((p) => p.done).sort((a, b) => a.cpi - b.cpi).slice(0, MOST);

const shortened = (text: string) => (text.length > 19 ? text.slice(0, 18) + "\u2026" : text);

function bars(s: Sweep, points: Point[]): Bar[] {
  const reference = referenceOf(s, points[0]!);
  const whole = reference.done ? reference.cpi : points.reduce((most, p) => (p.done ? Math.max(most, p.cpi) : most), 1e-9);
  return points.filter((p) => p.done).map((p) => ({
    label: shortened([`${p.number}`, s.axes.length ? s.axes.map((a) => setting(p, a.name)).join(", ") : p.machine].join(" ")), whole,
    parts: Object.entries(p.causes).map(([name, n]) => ({ name, label: s.cause_labels[name], amount: n / p.instructions })),
  }));
}

export function StacksOfPoints() {
  const s = useSweep();
  const all = dimensions(s);
  const choice = useChoice(s, all);
  return (
    <>
      <Chosen all={all} choice={choice} />
      {groups(choice.points).map(([name, members]) => {
        const points = shown(members);
        const seen = Object.keys(s.cause_labels).filter((c) => points.some((p) => p.done && p.causes[c]! / p.cycles >= 0.005));
        return (
          <section key={name}>
            <Chart title={`CPI stacks: ${name}`} note={"Time for each instruction by cause, in percent of the default's time. A bar is a point."
              + (points.length < members.length ? ` These are the ${MOST} fastest of ${count(members.length)}: choose fewer points to see others.` : "")}
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
