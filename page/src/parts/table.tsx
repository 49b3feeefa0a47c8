// A table whose columns sort by a click or the Enter key. Everything that is drawn is also here. Rows of which too little is to be
// said are one row, with their sum, which opens.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Scroll } from "./scroll";

export interface Column<Row> {
  key: string;
  title: string;
  help?: string;
  left?: boolean; // words; else a number
  value: (row: Row) => number | string | null;
  show?: (row: Row) => ComponentChildren;
  sum?: (rows: Row[]) => ComponentChildren; // of those that are folded
}

interface Props<Row> {
  name: string;
  columns: Column<Row>[];
  rows: Row[];
  most?: number; // rows at first
  little?: (row: Row) => boolean; // folded
  current?: (row: Row) => boolean;
  onPick?: (row: Row) => void;
}

function compare(a: number | string | null, b: number | string | null): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  return typeof a === "string" || typeof b === "string" ? String(a).localeCompare(String(b)) : b - a;
}

// Up and down go from row to row.
function move(event: KeyboardEvent): void {
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  const row = (event.target as HTMLElement).closest("tr");
  if (!step || !row) return;
  const to = step > 0 ? row.nextElementSibling : row.previousElementSibling;
  const handle = to?.querySelector<HTMLElement>("button, a");
  if (!handle) return;
  handle.focus();
  event.preventDefault();
}

export function Table<Row>({ name, columns, rows, most = 50, little, current, onPick }: Props<Row>) {
  const [by, setBy] = useState<{ key: string; back: boolean } | null>(null);
  const [all, setAll] = useState(false);
  const column = by && columns.find((c) => c.key === by.key);
  const sorted = column
    ? [...rows].sort((a, b) => compare(column.value(a), column.value(b)) * (by.back ? -1 : 1))
    : rows;
  const [open, setOpen] = useState(false);
  const own = little ? sorted.filter((row) => !little(row)) : sorted;
  const folded = little ? sorted.filter(little) : [];
  const shown = all ? own : own.slice(0, most);
  const line = (row: Row, key: string) => (
    <tr key={key} class={current?.(row) ? "current" : ""} aria-current={current?.(row) ? "true" : undefined}>
      {columns.map((c, at) => {
        const cell = c.show ? c.show(row) : c.value(row);
        return (
          <td key={c.key} class={c.left ? "left" : ""}>
            {at === 0 && onPick ? <button type="button" class="link" onClick={() => onPick(row)}>{cell}</button> : cell}
          </td>
        );
      })}
    </tr>
  );
  const order = (key: string) => (by?.key !== key ? "none" : by.back ? "ascending" : "descending");
  return (
    <Scroll name={name}>
      <table>
        <caption class="unseen">{name}</caption>
        <thead>
          <tr>
            {columns.map((c) => (
              <th key={c.key} scope="col" class={c.left ? "left" : ""} aria-sort={order(c.key)} title={c.help}>
                <button type="button" onClick={() => setBy({ key: c.key, back: by?.key === c.key && !by.back })}>
                  {c.title}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody onKeyDown={move}>
          {shown.map((row, i) => line(row, String(i)))}
          {folded.length > 0 && (
            <tr class="folded">
              {columns.map((c, at) => (
                <td key={c.key} class={c.left ? "left" : ""}>
                  {at === 0 ? (
                    <button type="button" class="link" aria-expanded={open} onClick={() => setOpen(!open)}>
                      {folded.length === 1 ? "1 other" : `${folded.length} others`}
                    </button>
                  ) : c.sum?.(folded)}
                </td>
              ))}
            </tr>
          )}
          {open && folded.map((row, i) => line(row, `folded ${i}`))}
        </tbody>
      </table>
      {own.length > shown.length && (
        <button type="button" onClick={() => setAll(true)}>Show all {own.length} rows</button>
      )}
    </Scroll>
  );
}
