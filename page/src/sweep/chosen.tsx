// What every view of a sweep says of the choice, and how to take it back.
import { chooseAll, type Choice, type Dimension } from "./choice";
import { useSweep } from "./data";

export function Chosen({ all, choice }: { all: Dimension[]; choice: Choice }) {
  const s = useSweep();
  if (!choice.words) return null;
  return (
    <p class="warning" role="status">
      {choice.points.length} of {s.points.length} points are chosen: {choice.words}.{" "}
      <button type="button" onClick={() => chooseAll(all)}>Choose all</button>
    </p>
  );
}
