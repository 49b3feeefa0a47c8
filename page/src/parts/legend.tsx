// Names beside their colours. What rounds to 0.0% is one entry, which opens.
import { useState } from "preact/hooks";
import { colour as colourOf } from "../colours";
import { isLittle, percent } from "../format";

export interface Entry {
  name: string;
  label?: string;
  colour?: string;
  text?: string; // an amount, already printed
  share?: number; // of the whole; where there are several wholes, the largest. None: it is always shown
  help?: string;
}

function Item({ e }: { e: Entry }) {
  return (
    <li title={e.help}>
      <span class="swatch" style={{ background: e.colour ?? colourOf(e.name) }} />
      {e.label ?? e.name}
      {e.text ? <b> {e.text}</b> : null}
    </li>
  );
}

export function Legend({ entries }: { entries: Entry[] }) {
  const [open, setOpen] = useState(false);
  const little = entries.filter((e) => e.share !== undefined && isLittle(e.share));
  const counted = little.some((e) => e.text);
  const all = little.reduce((n, e) => n + e.share!, 0);
  return (
    <ul class="legend">
      {entries.filter((e) => !little.includes(e)).map((e) => <Item key={e.name} e={e} />)}
      {little.length > 0 && (
        <li>
          <button type="button" class="link" aria-expanded={open} onClick={() => setOpen(!open)}
            title={little.map((e) => e.label ?? e.name).join(", ")}>{little.length === 1 ? "1 other" : `${little.length} others`}</button>
          {counted ? <b> {percent(all, 1)}</b> : null}
        </li>
      )}
      {open && little.map((e) => <Item key={e.name} e={e} />)}
    </ul>
  );
}
