// The points as lines and as tables; of one point, what it changes and what that does.
import { useEffect, useRef } from "preact/hooks";
import { count, decimals, signed } from "../format";
import { Chart } from "../parts/chart";
import { Table, type Column } from "../parts/table";
import { amend, useFragment } from "../state";
import { dimensions, useChoice } from "./choice";
import { Chosen } from "./chosen";
import { groups, machineOf, nameOf, referenceOf, setting, useSweep, type Point, type Sweep } from "./data";
import { Fields, Parallel } from "./parallel";

// With fewer points the tables say it all.
const LEAST_FOR_LINES = 4;

const columnsOf = (s: Sweep): Column<Point>[] => [
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

function Keys({ point, reference }: { point: Point; reference: Point }) {
  const s = useSweep();
  const [its, defaults] = [machineOf(s, point), machineOf(s, reference)];
  const rows = [...new Set([...its.keys(), ...defaults.keys()])].filter((k) => k !== "name" && its.get(k) !== defaults.get(k));
  if (!rows.length) return <p class="note">Its machine is the default's.</p>;
  return (
    <Table name="Keys that differ" rows={rows} most={20} columns={[
      { key: "key", title: "key", left: true, value: (k) => k, show: (k) => <code>{k}</code> },
      { key: "default", title: "default", left: true, value: (k) => defaults.get(k) ?? "-" },
      { key: "point", title: `point ${point.number}`, left: true, value: (k) => its.get(k) ?? "-" },
    ]} />
  );
}

function Parts({ point, reference }: { point: Point; reference: Point }) {
  const s = useSweep();
  const cpi = (p: Point, cause: string) => (p.done ? p.causes[cause]! / p.instructions : null);
  const change = (cause: string) => (point.done && reference.done ? cpi(point, cause)! - cpi(reference, cause)! : null);
  const rows = Object.keys(s.cause_labels).filter((c) => (cpi(point, c) ?? 0) + (cpi(reference, c) ?? 0) >= 0.0005)
    .sort((a, b) => Math.abs(change(b) ?? 0) - Math.abs(change(a) ?? 0));
  return (
    <Table name="Parts of its CPI" rows={rows} columns={[
      { key: "cause", title: "part of CPI", left: true, value: (c) => s.cause_labels[c]! },
      { key: "default", title: "default", value: (c) => cpi(reference, c), show: (c) => decimals(cpi(reference, c), 3) },
      { key: "point", title: `point ${point.number}`, value: (c) => cpi(point, c), show: (c) => decimals(cpi(point, c), 3) },
      { key: "change", title: "change", value: change, show: (c) => (change(c) === null ? "-" : signed(change(c)!, 3)) },
    ]} />
  );
}

function OnePoint({ point }: { point: Point }) {
  const s = useSweep();
  const reference = referenceOf(s, point);
  const panel = useRef<HTMLElement>(null);
  useEffect(() => panel.current?.scrollIntoView({ block: "nearest" }), [point.number]); // the table may be far below
  return (
    <section class="panel" ref={panel} aria-label={`Point ${point.number}`}>
      <h3>Point {point.number}: {nameOf(s, point)} <button type="button" class="quiet" onClick={() => amend({ point: undefined })}>Close</button></h3>
      <p class="command"><code>{point.command}</code></p>
      <p class="note">{point.number === reference.number ? "It is the default of its program and region." : `Beside the default, point ${reference.number}: ${nameOf(s, reference)}.`}</p>
      {point.number !== reference.number && (
        <div class="pair">
          <div>{point.done && <Parts point={point} reference={reference} />}</div>
          <div><Keys point={point} reference={reference} /></div>
        </div>
      )}
    </section>
  );
}

export function PointsView() {
  const s = useSweep();
  const all = dimensions(s);
  const choice = useChoice(s, all);
  const { keys } = useFragment();
  const picked = s.points.find((p) => String(p.number) === keys.point) ?? null;
  return (
    <>
      <p class="note">Each point is compared with the default of its program and region. * marks what the machine has anyway. A point's number shows its machine.</p>
      {s.points.length >= LEAST_FOR_LINES && (
        <Chart title="All points" note="A line is a point. Drag along an axis to choose the points that pass there; click on it to take that back. All views show what is chosen.">
          <Parallel all={all} points={s.points} choice={choice} marked={picked} />
          <Fields all={all} choice={choice} />
        </Chart>
      )}
      <Chosen all={all} choice={choice} />
      {picked && <OnePoint point={picked} />}
      {groups(choice.points).map(([name, points]) => (
        <section key={name}>
          <h3>{name}</h3>
          <Table name={`Points: ${name}`} rows={points} columns={columnsOf(s)} current={(p) => p.number === p.reference}
            onPick={(p) => amend({ point: keys.point === String(p.number) ? undefined : p.number })} />
        </section>
      ))}
    </>
  );
}
