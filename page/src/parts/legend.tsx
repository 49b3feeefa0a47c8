// Names beside their colours.
import { colour as colourOf } from "../colours";

export interface Entry {
  name: string;
  label?: string;
  colour?: string;
  text?: string; // an amount, already printed
  help?: string;
}

export function Legend({ entries }: { entries: Entry[] }) {
  return (
    <ul class="legend">
      {entries.map((e) => (
        <li key={e.name} title={e.help}>
          <span class="swatch" style={{ background: e.colour ?? colourOf(e.name) }} />
          {e.label ?? e.name}
          {e.text ? <b> {e.text}</b> : null}
        </li>
      ))}
    </ul>
  );
}
