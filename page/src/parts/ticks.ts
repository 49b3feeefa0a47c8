// Texts along an axis that do not touch each other.
export interface Tick {
  at: number; // pixels
  text: string;
  anchor: "start" | "middle" | "end";
}

const WIDTH = 6.6; // of a character of the class "tick", rather too much
const GAP = 8;

// The first, and each that is clear of the one before.
export function apart(ticks: Tick[]): Tick[] {
  const from = (t: Tick) => t.at - (t.anchor === "start" ? 0 : t.anchor === "end" ? 1 : 0.5) * WIDTH * t.text.length;
  const shown: Tick[] = [];
  for (const t of ticks) {
    const last = shown[shown.length - 1];
    if (!last || from(t) >= from(last) + WIDTH * last.text.length + GAP) shown.push(t);
  }
  return shown;
}
