// Drawing the pipeline: rows are instructions, columns cycles. The picture follows the fetch, so that rows stay in sight.
import { colour } from "./colours";
import type { Pipeline } from "./data";
import { producersOf, type Rows } from "./pipeline";

// Pixels for the end of the front end, and for instruction texts: on a narrow screen the bars come first.
export const roomOf = (width: number): number => (width < 600 ? 36 : 110);
export const labelsOf = (width: number): number => (width < 600 ? Math.round(Math.max(96, width * 0.3)) : 300);
const OFFSETS = 250; // pixels of labels from which on the offsets stand before the texts

export interface Look {
  top: number; // first row, a fraction is part of a row
  rowHeight: number;
  cycleWidth: number;
  selected: number; // row; -1 = none
  hovered: number;
  chain: Map<number, string> | null; // rows of the critical chain
}

interface Colours { paper: string; ink: string; faint: string; line: string; raised: string; accent: string; mark: string }

export function coloursOf(element: HTMLElement): Colours {
  const style = getComputedStyle(element);
  const get = (name: string) => style.getPropertyValue("--" + name).trim();
  return { paper: get("paper"), ink: get("ink"), faint: get("faint"), line: get("line"), raised: get("raised"), accent: get("accent"), mark: get("mark") };
}

// The cycle at the left edge: some room before the first row enters the window, between rows in proportion.
function leftCycle(rows: Rows, look: Look, room: number): number {
  const at = Math.min(rows.count - 1, Math.floor(look.top));
  const next = Math.min(rows.count - 1, at + 1);
  const anchor = rows.anchor[at]! + (rows.anchor[next]! - rows.anchor[at]!) * (look.top - Math.floor(look.top));
  return anchor - room / look.cycleWidth;
}

export function draw(canvas: HTMLCanvasElement, p: Pipeline, rows: Rows, look: Look, width: number, height: number, c: Colours): void {
  const ratio = devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const g = canvas.getContext("2d", { alpha: false })!;
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.fillStyle = c.paper;
  g.fillRect(0, 0, width, height);
  const labels = labelsOf(width);
  const left = leftCycle(rows, look, roomOf(width));
  const x = (cycle: number) => labels + (cycle - left) * look.cycleWidth;
  const y = (row: number) => 18 + (row - look.top) * look.rowHeight;
  const first = Math.max(0, Math.floor(look.top));
  const last = Math.min(rows.count - 1, Math.ceil(look.top + (height - 18) / look.rowHeight));
  drawGrid(g, left, labels, x, width, height, look, c);
  g.save();
  g.beginPath();
  g.rect(labels, 18, width - labels, height - 18);
  g.clip();
  for (let row = first; row <= last; row++) drawRow(g, p, rows, row, x, y(row), look, c);
  if (look.selected >= 0) drawArrows(g, rows, look.selected, x, y, look, c.accent);
  if (look.hovered >= 0 && look.hovered !== look.selected) drawArrows(g, rows, look.hovered, x, y, look, c.ink);
  g.restore();
  drawLabels(g, p, rows, first, last, labels, y, look, c, height);
}

function drawGrid(g: CanvasRenderingContext2D, left: number, labels: number, x: (cycle: number) => number, width: number, height: number, look: Look, c: Colours): void {
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000].find((s) => s * look.cycleWidth >= 70) ?? 5000;
  g.strokeStyle = c.line;
  g.fillStyle = c.faint;
  g.font = "11px system-ui, 'DejaVu Sans', sans-serif";
  g.lineWidth = 1;
  g.beginPath();
  for (let cycle = Math.ceil(left / step) * step; x(cycle) < width; cycle += step) {
    if (x(cycle) < labels) continue;
    g.moveTo(Math.round(x(cycle)) + 0.5, 18);
    g.lineTo(Math.round(x(cycle)) + 0.5, height);
    if (x(cycle) + 3 + 7 * String(cycle).length <= width) g.fillText(String(cycle), x(cycle) + 3, 12); // else it would be cut
  }
  g.stroke();
}

function bar(g: CanvasRenderingContext2D, fill: string, x0: number, x1: number, y: number, h: number): void {
  g.fillStyle = fill;
  g.fillRect(x0, y, Math.max(1, x1 - x0), h);
}

function drawRow(g: CanvasRenderingContext2D, p: Pipeline, rows: Rows, row: number, x: (cycle: number) => number, y: number, look: Look, c: Colours): void {
  const h = look.rowHeight;
  const pad = h > 6 ? 1.5 : 0;
  const thin = Math.max(1, h * 0.22);
  const mid = y + (h - thin) / 2;
  if (row === look.selected) bar(g, c.mark, 0, 1e5, y, h);
  else if (row === look.hovered) bar(g, c.raised, 0, 1e5, y, h);
  if (rows.number[row]! < 0) {
    drawSquashed(g, rows, row, x, y, h, c);
    return;
  }
  const dispatch = x(rows.dispatch[row]!);
  const issue = x(rows.issue[row]!);
  const complete = x(rows.complete[row]!);
  const end = x(rows.end[row]! + 1);
  const front = rows.front[row]!;
  bar(g, front ? colour(p.causes[front]!) : c.line, x(rows.fetch[row]!), dispatch, y + h * 0.3, h * 0.4);
  bar(g, c.faint, dispatch, x(rows.ready[row]!), mid, thin); // waits for operands
  if (rows.issue[row]! > rows.ready[row]!) bar(g, colour("slots"), x(rows.ready[row]!), issue, y + h * 0.2, h * 0.6);
  bar(g, colour(p.causes[rows.execution[row]!]!), issue, complete, y + pad, h - 2 * pad);
  bar(g, c.line, complete, end, mid, thin);
  if (rows.wait[row]! > 0) bar(g, colour(p.causes[rows.cause[row]!]!), x(rows.end[row]! - rows.wait[row]!), x(rows.end[row]!), y + h - Math.max(1, h * 0.16), Math.max(1, h * 0.16));
  bar(g, c.ink, end - Math.max(1.5, look.cycleWidth * 0.3), end, y + pad, h - 2 * pad); // commit
  if (look.chain?.has(row)) drawChain(g, rows, row, look.chain.get(row)!, x, y, h, c);
}

function drawSquashed(g: CanvasRenderingContext2D, rows: Rows, row: number, x: (cycle: number) => number, y: number, h: number, c: Colours): void {
  const end = x(rows.end[row]!);
  const dispatch = rows.dispatch[row]! < 0 ? end : x(rows.dispatch[row]!);
  g.globalAlpha = 0.45;
  bar(g, colour(rows.violation[row] ? "violation" : "mispredict"), x(rows.fetch[row]!), dispatch, y + h * 0.4, Math.max(1, h * 0.2));
  if (dispatch < end) bar(g, colour(rows.violation[row] ? "violation" : "mispredict"), dispatch, end, y + h * 0.25, Math.max(1, h * 0.5));
  g.globalAlpha = 1;
  if (h < 8) return;
  g.strokeStyle = c.faint;
  g.lineWidth = 1.2;
  g.beginPath();
  g.moveTo(end - 3, y + h / 2 - 3);
  g.lineTo(end + 3, y + h / 2 + 3);
  g.moveTo(end + 3, y + h / 2 - 3);
  g.lineTo(end - 3, y + h / 2 + 3);
  g.stroke();
}

function drawChain(g: CanvasRenderingContext2D, rows: Rows, row: number, parts: string, x: (cycle: number) => number, y: number, h: number, c: Colours): void {
  g.strokeStyle = c.accent;
  g.lineWidth = 1.6;
  const frame = (from: number, to: number) => g.strokeRect(x(from), y + 0.8, Math.max(2, x(to) - x(from)), h - 1.6);
  if (parts.includes("d")) frame(rows.fetch[row]!, rows.dispatch[row]!);
  if (parts.includes("r")) frame(rows.dispatch[row]!, rows.issue[row]!);
  if (parts.includes("x")) frame(rows.issue[row]!, rows.complete[row]!);
  if (parts.includes("c")) frame(rows.complete[row]!, rows.end[row]! + 1);
}

function drawArrows(g: CanvasRenderingContext2D, rows: Rows, row: number, x: (cycle: number) => number, y: (row: number) => number, look: Look, stroke: string): void {
  const to = { x: x(rows.issue[row]!), y: y(row) + look.rowHeight / 2 };
  g.strokeStyle = g.fillStyle = stroke;
  g.lineWidth = 1.5;
  for (const p of producersOf(rows, row)) {
    const from = { x: x(rows.complete[p.row]!), y: y(p.row) + look.rowHeight / 2 };
    g.beginPath();
    g.moveTo(from.x, from.y);
    g.bezierCurveTo(from.x + 14, from.y + 4, to.x - 14, to.y - 10, to.x - 2, to.y);
    g.stroke();
    g.beginPath();
    g.moveTo(to.x, to.y);
    g.lineTo(to.x - 7, to.y - 5);
    g.lineTo(to.x - 7, to.y + 3);
    g.fill();
  }
}

function drawLabels(g: CanvasRenderingContext2D, p: Pipeline, rows: Rows, first: number, last: number, labels: number, y: (row: number) => number, look: Look, c: Colours, height: number): void {
  g.fillStyle = c.paper;
  g.fillRect(0, 0, labels - 4, height);
  g.font = "12px ui-monospace, 'DejaVu Sans Mono', Menlo, monospace";
  const most = Math.floor((labels - 8) / g.measureText("0").width);
  const every = Math.max(1, Math.ceil(12 / look.rowHeight));
  for (let row = Math.ceil(first / every) * every; row <= last; row += every) {
    const at = y(row) + look.rowHeight / 2 + 4;
    if (at < 24) continue;
    if (row === look.selected) {
      g.fillStyle = c.mark;
      g.fillRect(0, y(row), labels - 4, Math.max(look.rowHeight, 12));
    }
    const squashed = rows.number[row]! < 0;
    g.fillStyle = squashed ? c.faint : c.ink;
    const text = squashed ? (rows.violation[row] ? "  squashed, fetched again" : "  wrong path") : labelOf(p, rows, row, labels >= OFFSETS);
    const shown = labels >= OFFSETS ? text : text.trimStart();
    g.fillText(shown.length > most ? shown.slice(0, most - 1) + "\u2026" : shown, 2, at);
  }
}

function labelOf(p: Pipeline, rows: Rows, row: number, offset: boolean): string {
  const code = p.code[rows.code[row]!]!;
  return (offset ? `+${(code.offset & 0xffffff).toString(16)}`.padEnd(8) : "") + code.text;
}
