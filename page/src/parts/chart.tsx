// The frame of a drawn thing: heading, picture, and what saves it as SVG.
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { useSubject } from "./subject";

interface Props {
  title: string;
  note?: ComponentChildren;
  legend?: ComponentChildren;
  children: ComponentChildren; // holds one svg, if it can be saved
  save?: boolean;
}

function withText(svg: SVGSVGElement, lines: string[]): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const { width, height } = svg.getBoundingClientRect();
  const head = 20 * lines.length + 12;
  const names = "http://www.w3.org/2000/svg";
  const page = document.createElementNS(names, "svg");
  const style = getComputedStyle(svg);
  page.setAttribute("xmlns", names);
  page.setAttribute("viewBox", `0 0 ${width} ${height + head}`);
  page.setAttribute("font-family", "sans-serif");
  page.setAttribute("font-size", "12");
  page.innerHTML = `<rect width="100%" height="100%" fill="${style.getPropertyValue("--paper")}"/>`;
  lines.forEach((line, i) => {
    const text = document.createElementNS(names, "text");
    text.setAttribute("x", "8");
    text.setAttribute("y", String(20 + 20 * i));
    text.setAttribute("fill", style.color);
    if (!i) text.setAttribute("font-weight", "bold");
    text.textContent = line;
    page.append(text);
  });
  copy.setAttribute("y", String(head));
  copy.setAttribute("width", String(width));
  copy.setAttribute("height", String(height));
  // style sheets do not come along
  const texts = svg.querySelectorAll("text, rect, line, path");
  copy.querySelectorAll("text, rect, line, path").forEach((element, i) => {
    const from = getComputedStyle(texts[i]!);
    element.setAttribute("fill", from.fill);
    if (from.stroke !== "none") element.setAttribute("stroke", from.stroke);
    if (element.tagName === "text") element.setAttribute("font-size", from.fontSize);
  });
  page.append(copy);
  return new XMLSerializer().serializeToString(page);
}

export function Chart({ title, note, legend, children, save = true }: Props) {
  const frame = useRef<HTMLElement>(null);
  const subject = useSubject();
  const download = () => {
    const svg = frame.current?.querySelector<SVGSVGElement>(".drawing svg");
    if (!svg) return;
    const names = [...(frame.current?.querySelectorAll(".legend li") ?? [])].map((item) => item.textContent).join(" \u00b7 ");
    const link = document.createElement("a");
    const lines = [`${title}: ${subject}`, ...(names ? [names] : [])];
    link.href = URL.createObjectURL(new Blob([withText(svg, lines)], { type: "image/svg+xml" }));
    link.download = title.toLowerCase().replace(/[^a-z0-9]+/g, "-") + ".svg";
    link.click();
    URL.revokeObjectURL(link.href);
  };
  return (
    <figure ref={frame}>
      <figcaption>
        <h3>{title}</h3>
        {save && <button type="button" class="quiet" onClick={download} aria-label={`Save SVG: ${title}`}>Save SVG</button>}
      </figcaption>
      {note && <p class="note">{note}</p>}
      <div class="drawing">{children}</div>
      {legend}
    </figure>
  );
}
