// kinds.mjs CHROMIUM FOLDER [SHOTS]: opens the pages of truth, model, sweep and diff in a headless browser and holds each against
// its result. SHOTS: a prefix for pictures of every view.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(new URL("../../page/package.json", import.meta.url));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const [browserPath, folder, shots] = process.argv.slice(2);
const count = (n) => Math.round(n).toLocaleString("en-US");
const minus = (text) => text.replace("-", "\u2212").replace(/^\u2212(?=[0.]*$)/, "");
let failures = 0;

function expect(what, good, detail = "") {
  if (good) return;
  failures++;
  console.log(`FAILED: ${what} ${detail}`);
}

const same = (what, found, wanted) => expect(what, JSON.stringify(found) === JSON.stringify(wanted),
  `\n  page:   ${JSON.stringify(found)}\n  result: ${JSON.stringify(wanted)}`);

const cells = (page, name) => page.$eval(`[role=region][aria-label="${name}"] table`, (table) =>
  [...table.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent.trim())));

// Of each page: its views that have something, and figures of some.
const kinds = {
  sweep: {
    views: ["points", "stacks", "curves", "machines", "machine"],
    async points(page, r) {
      for (const [name, program] of [["gather, region loop", "gather"], ["absent, region loop", "absent"]])
        same("sweep: points", (await cells(page, `Points: ${name}`)).map((c) => [c[0], c[3], c[5]]),
          r.points.filter((p) => p.program === program).map((p) => [String(p.number), p.done ? p.ipc.toFixed(3) : "-", p.done ? count(p.cycles) : "-"]));
      expect("sweep: why a point failed", (await cells(page, "Points: absent, region loop")).every((c) => c.at(-1).includes("nothing")));
    },
    async stacks(page, r) {
      const bars = await page.$$eval("figure svg[aria-label='CPI stacks of gather, region loop'] > g", (all) => all.length);
      expect("sweep: a bar for each point that is done", bars >= r.points.filter((p) => p.done).length);
    },
    async machines(page, r) {
      const rows = new Map((await cells(page, "Machines")).map((c) => [c[0], c.slice(1)]));
      same("sweep: machines", rows.get("dispatch.width"), [...r.machines.map((m) => String(m.keys.dispatch.width)), ""]);
      same("sweep: the axis", rows.get("window.rob").at(-1), r.axes[0].values.map((v) => v.name).join(", "));
      expect("sweep: only what differs", !rows.has("core.isa"));
      await page.click("text=also what is the same in all");
      expect("sweep: all keys", (await cells(page, "Machines")).some((c) => c[0] === "core.isa"));
    },
    async chosen(page, r) {
      const numbers = async () => (await page.$$eval("[aria-label^='Points: '] tbody tr td:first-child", (all) => all.map((c) => Number(c.textContent)))).sort();
      const status = () => page.textContent("[role=status]");
      const strip = await (await page.$("[data-dimension=cpi]")).boundingBox();
      const done = r.points.filter((p) => p.done);
      const [low, high] = [Math.min(...done.map((p) => p.cpi)), Math.max(...done.map((p) => p.cpi))];
      await page.mouse.move(strip.x + 10, strip.y + 2);
      await page.mouse.down();
      await page.mouse.move(strip.x + 10, strip.y + strip.height / 2, { steps: 4 });
      await page.mouse.up();
      same("sweep: dragging over the upper half of CPI", await numbers(), done.filter((p) => p.cpi > (low + high) / 2).map((p) => p.number));
      expect("sweep: says what is chosen", (await status()).includes(`of ${r.points.length} points are chosen: CPI`));
      await page.click("nav a:has-text('Curves')");
      expect("sweep: the choice goes along", (await status()).includes("are chosen: CPI"));
      await page.click("text=Choose all");
      await page.click("nav a:has-text('Points')");
      await page.waitForSelector("[aria-label^='Points: '] tbody tr"); // a link's view is drawn after the click has returned
      same("sweep: all again", (await numbers()).length, r.points.length);
      await page.click("text=Choose by values");
      await page.click("fieldset:has(legend:text-is('machine')) >> label:has-text('boom-large')");
      same("sweep: chosen by keyboard", await numbers(), r.points.filter((p) => p.machine !== "boom-large").map((p) => p.number));
      const other = r.points.find((p) => p.machine !== "boom-large" && p.done && p.number !== p.reference);
      await page.click(`[aria-label^='Points: '] tbody td:first-child >> text="${other.number}"`);
      same("sweep: what a point changes", await cells(page, "Keys that differ"),
        [["window.rob", r.points[other.reference - 1].settings["window.rob"].value, other.settings["window.rob"].value]]);
      const parts = new Map((await cells(page, "Parts of its CPI")).map((c) => [c[0], c[2]]));
      same("sweep: a part of its CPI", parts.get(r.cause_labels.memory), (other.causes.memory / other.instructions).toFixed(3));
    },
  },
  many: { // points: what cannot be read in full is cut, and says so
    views: ["points", "stacks", "curves"],
    async points(page, r) {
      same("many: every second of 30 values is named", await page.$$eval("g:has([data-dimension='axis.window.rob']) .tick", (all) => all.map((t) => t.textContent)),
        r.axes[0].values.map((v) => v.name).filter((_, i) => i % 2 === 0));
      const pieces = await page.$$eval("svg[aria-label='Points as lines through their values'] path", (all) =>
        all.map((p) => (p.getAttribute("d") || "").split("M").slice(1)));
      expect("many: no piece of a colour's lines twice", pieces.flat().length > r.points.length && pieces.every((p) => new Set(p).size === p.length));
    },
    async stacks(page, r) {
      const labels = await page.$$eval("ol.points li", (all) => all.map((li) => li.value));
      const fastest = [...r.points].sort((a, b) => a.cpi - b.cpi);
      same("many: the fastest 40", labels.map((n) => r.points[n - 1].cpi), fastest.slice(0, 40).map((p) => p.cpi));
      expect("many: says so", (await page.textContent("main")).includes("the 40 fastest of 60"));
    },
    async curves(page) {
      const curves = await page.$$eval("svg[aria-label='IPC over dispatch.width, gather, region loop'] .name", (all) => all.map((t) => t.textContent));
      same("many: curves", curves.length, 16);
      same("many: the default's first", curves[0], "eyerman2009-4w, 128");
      expect("many: says so", (await page.textContent("main")).includes("the 16 of 30 curves"));
    },
  },
  truth: {
    views: ["costs", "stacks", "scores", "machine"],
    async costs(page, r) {
      same("truth: costs", (await cells(page, "Costs")).map((c) => [c[0], c[1]]), r.costs.map((c) => [c.set, count(c.cycles)]));
      same("truth: interactions", (await cells(page, "Interaction costs")).map((c) => c[1]), r.icosts.map((c) => minus(count(c.cycles))));
    },
    async stacks(page, r) {
      const rows = new Map(await cells(page, "Reference stack"));
      for (const [name, n] of Object.entries(r.reference)) if (n) same(`truth: ${name}`, rows.get(name), count(n));
    },
    async scores(page, r) {
      const s = r.scores[0];
      same("truth: score", (await cells(page, `Score of ${s.method}  ${s.against}`)).map((c) => c[0]), s.rows.map((x) => x.name));
    },
  },
  curves: {
    views: ["costs", "sweep", "machine"],
    async sweep(page, r) {
      same("curves: cycles", (await cells(page, "Cycles")).map((c) => c.slice(1)), r.sweep.curves.map((c) => c.cycles.map(count)));
    },
  },
  model: {
    views: ["prediction", "parallelism", "scaling", "machine"],
    async prediction(page, r) {
      const terms = Object.entries(r.terms).filter(([, t]) => t.cycles !== 0 || t.count !== 0);
      same("model: terms", (await cells(page, "Terms")).map((c) => [c[0], c[4]]), terms.map(([n, t]) => [n, (t.cycles / r.instructions).toFixed(4)]));
    },
    async scaling(page, r) {
      same("model: optimum depths", (await cells(page, "Optimum depths")).map((c) => c[2]),
        r.scaling.curves.map((c) => c.best?.depth.toFixed(2) ?? "beyond 100"));
      const drawn = () => page.$$eval("svg[aria-label='Time over depth'] path[stroke-dasharray]", (all) => all.map((p) => p.getAttribute("d")));
      const before = await drawn();
      same("model: a curve for each width", before.length, r.scaling.ramps.length);
      await page.selectOption("main select", "0");
      expect("model: other miss paths, other curves", (await drawn()).every((d, i) => d !== before[i]));
    },
    async parallelism(page, r) {
      same("model: K(W)", (await cells(page, "Parallelism")).map((c) => c[1]), r.parallelism.windows.map((w) => w.path.toFixed(3)));
    },
  },
  diff: {
    views: ["change", "functions", "lines", "costs", "machine"],
    async change(page, r) {
      const rows = await cells(page, "Causes");
      const text = readFileSync(`${folder}/diff.txt`, "utf8"); // the same causes, by the same names
      const printed = text.split("cycles by cause")[1].split("  all ")[0].split("\n").slice(1, -1).map((line) => line.trim().split(/ {2,}/));
      const figures = (all) => all.map((c) => [c[0], c[1], c[2], minus(c[3].replace("+", ""))].join(" ")).sort();
      same("diff: causes", figures(rows), figures(printed));
      same("diff: all causes", rows.length, Object.keys(r.causes).length);
      expect("diff: one kind of minus, and none before 0", rows.flat().every((cell) => !/-|\u22120\.0%/.test(cell)), rows);
      expect("diff: the change", (await page.textContent(".answer")).includes(count(Math.abs(r.change))));
    },
    async functions(page, r) {
      const bySize = [...r.functions].sort((x, y) => Math.abs(y.change) - Math.abs(x.change));
      same("diff: functions", (await cells(page, "Functions")).map((c) => c[3]).slice(0, 10),
        bySize.slice(0, 10).map((f) => (f.change > 0 ? "+" : "") + minus(count(f.change))));
    },
    async lines(page, r) { // those without a line by their place
      const places = r.lines.map((l) => l.place ?? `${l.file}:${l.line_b ?? l.line_a}`).sort();
      expect("diff: some lines are not known", r.lines.some((l) => l.place));
      same("diff: places", (await cells(page, "Lines")).map((c) => c[0]).filter((place) => !places.includes(place)), []);
    },
  },
};

const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox", "--disable-gpu"] });
for (const [name, kind] of Object.entries(kinds)) {
  if (process.env.ONLY && process.env.ONLY !== name) continue;
  const result = JSON.parse(readFileSync(`${folder}/${name}.json`, "utf8"));
  const url = pathToFileURL(`${folder}/${name}.html`).href;
  const page = await browser.newPage({ viewport: { width: 1280, height: 1000 } });
  page.on("console", (m) => expect(`${name}: console`, m.type() !== "error", m.text()));
  page.on("pageerror", (e) => expect(`${name}: script`, false, e.message));
  page.on("request", (r) => expect(`${name}: request`, r.url().startsWith(url) || r.url().startsWith("about:"), r.url()));
  for (const view of kind.views) {
    await page.goto("about:blank");
    await page.goto(`${url}#${view}`);
    await page.waitForFunction(() => document.documentElement.dataset.ready);
    expect(`${name}: ${view} opens`, (await page.$(`main#view-${view}`)) && !(await page.textContent("main")).includes("This result has none"));
    expect(`${name}: ${view} is no wider than the screen`, await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    if (kind[view]) await kind[view](page, result);
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => globalThis.axe.run());
    for (const v of violations) expect(`${name}: ${view}: accessibility`, false, `${v.id}: ${v.nodes.map((n) => n.target).slice(0, 3).join(" ")}`);
    if (view === "points") await kind.chosen?.(page, result);
    if (shots) await page.screenshot({ path: `${shots}-${name}-${view}.png`, fullPage: true });
  }
  await page.close();
}
await browser.close();
console.log(`${failures} failures`);
process.exit(failures ? 1 : 0);
