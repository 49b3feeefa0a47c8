// The page: its head, the list of views, and the view that the fragment names.
import { render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { readResult, type Result } from "./data";
import { kindOf } from "./kinds";
import type { Kind } from "./kinds/kind";
import { ResultContext, SubjectContext } from "./parts/subject";
import { fragment, useFragment } from "./state";

const THEMES = ["auto", "light", "dark"] as const;

function ThemeButton() {
  const [theme, set] = useState<(typeof THEMES)[number]>("auto");
  useEffect(() => {
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  }, [theme]);
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length]!;
  return (
    <button type="button" class="quiet" onClick={() => set(next)} aria-label={`Colours: ${theme}. Change to ${next}`}>
      {theme === "auto" ? "\u25d0 auto" : theme === "light" ? "\u2600 light" : "\u263e dark"}
    </button>
  );
}

function Head({ kind, skip }: { kind: Kind; skip: () => void }) {
  return (
    <header>
      <button type="button" class="skip" onClick={skip}>Skip to the view</button>
      <div>
        <h1><span class="brand">Culprit</span> {kind.heading}</h1>
        <p>{kind.summary}</p>
      </div>
      <div class="tools">
        <button type="button" class="quiet" onClick={() => print()}>Print</button>
        <ThemeButton />
      </div>
    </header>
  );
}

function Page({ result, kind }: { result: Result; kind: Kind }) {
  const { view: name, keys } = useFragment();
  const heading = useRef<HTMLHeadingElement>(null);
  const { views } = kind;
  const view = views.find((v) => v.name === name) ?? views.find((v) => v.has)!;
  const first = useRef(true);
  const carried = Object.fromEntries(Object.entries(keys).filter(([key]) => kind.isCarried?.(key)));
  useEffect(() => {
    document.title = `${view.title}: ${kind.subject}`;
    if (!first.current) heading.current?.focus();
    first.current = false;
  }, [view.name]);
  const Body = view.body;
  return (
    <ResultContext.Provider value={result}>
      <SubjectContext.Provider value={kind.subject}>
        <Head kind={kind} skip={() => heading.current?.focus()} />
        <nav aria-label="Views">
          {views.map((v) => (
            <a key={v.name} href={fragment(v.name, carried)} class={v.has ? undefined : "off"} aria-current={v.name === view.name ? "page" : undefined}
              title={v.has ? undefined : v.needs}>{v.title}</a>
          ))}
        </nav>
        <main id={"view-" + view.name}>
          <h2 tabIndex={-1} ref={heading}>{view.title}<small>{view.question}</small></h2>
          {view.has ? <Body key={view.name} /> : <p>This result has none: {view.needs}.</p>}
        </main>
        <footer>
          culprit {result.culprit}; all figures are in <code>--json</code>, too.
        </footer>
      </SubjectContext.Provider>
    </ResultContext.Provider>
  );
}

// "/" goes to the view's search.
addEventListener("keydown", (event) => {
  const typing = (event.target as HTMLElement).matches?.("input, select, textarea");
  const field = document.querySelector<HTMLInputElement>("[data-search]");
  if (event.key !== "/" || typing || !field) return;
  field.focus();
  event.preventDefault();
});

const began = performance.now();
readResult().then(
  (result) => {
    const place = document.getElementById("page")!;
    place.replaceChildren();
    render(<Page result={result} kind={kindOf(result)} />, place);
    requestAnimationFrame(() => {
      document.documentElement.dataset.ready = String(Math.round(performance.now()));
      performance.measure("culprit-page", { start: began, end: performance.now() });
    });
  },
  (error) => {
    document.getElementById("page")!.textContent = `The result in this file cannot be read: ${error}`;
  },
);
