// browser.mjs CHROMIUM PAGE.html RESULT.json [SHOTS]: opens the page in a headless browser and holds it against the result.
// Prints time to interactive and frame rate. SHOTS: a prefix for pictures of every view, light and dark.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(new URL("../../page/package.json", import.meta.url));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const [browserPath, file, json, shots] = process.argv.slice(2);
const result = JSON.parse(readFileSync(json, "utf8"));
const url = pathToFileURL(file).href;
const count = (n) => Math.round(n).toLocaleString("en-US");
const share = (n, whole, digits = 1) => `${((100 * n) / whole).toFixed(digits)}%`;
let failures = 0;

function expect(what, good, detail = "") {
  if (good) return;
  failures++;
  console.log(`FAILED: ${what} ${detail}`);
}

const same = (what, found, wanted) => expect(what, JSON.stringify(found) === JSON.stringify(wanted),
  `\n  page:   ${JSON.stringify(found)}\n  result: ${JSON.stringify(wanted)}`);

const ALL = ["verdict", "time", "stacks", "whatif", "why", "code", "path", "pipeline", "methods", "machine"];
const VIEWS = process.env.ONLY ? [process.env.ONLY] : ALL;

async function open(page, fragment) {
  await page.goto("about:blank");
  await page.goto(url + fragment);
  await page.waitForFunction(() => document.documentElement.dataset.ready);
}

// The cells of a table by its name: rows of texts.
const cells = (page, name) => page.$eval(`[role=region][aria-label="${name}"] table`, (table) =>
  [...table.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent.trim())));

const listed = (amounts) => Object.entries(amounts).filter(([, n]) => n).sort((a, b) => b[1] - a[1]);

const checks = {
  async verdict(page) {
    same("sentences", await page.$$eval(".verdict li > p", (all) => all.map((p) => p.textContent)), result.verdict.map((s) => s.text));
    const rows = await cells(page, "Functions with most cycles");
    same("functions", rows.map((r) => [r[0], r[2]]), result.functions.map((f) => [f.function, share(f.cycles, result.cycles)]));
    expect("evidence for each sentence", (await page.$$(".verdict details")).length === result.verdict.length);
  },
  async time(page) {
    const p = result.phases;
    same("causes of the run", (await cells(page, "Causes in the interval")).map((r) => r[1]), listed(result.causes).map(([, n]) => count(n)));
    const [from, to] = [Math.floor(p.first.length / 3), Math.floor(p.first.length / 2)];
    await open(page, `#time&from=${from}&to=${to}`);
    const sums = p.by_cause.map((column) => column.slice(from, to + 1).reduce((a, b) => a + b, 0)).filter((n) => n).sort((a, b) => b - a);
    same("causes of an interval", (await cells(page, "Causes in the interval")).map((r) => r[1]), sums.map(count));
    same("all slices add up", sumOf(p.cycles), result.cycles);
    same("their instructions, too", sumOf(p.instructions), result.instructions);
  },
  async stacks(page) {
    same("commit stack", (await cells(page, "Commit stack")).map((r) => [r[0], r[1]]), listed(result.commit_stack).map(([k, n]) => [k, count(n)]));
    await page.$$eval("details", (all) => all.forEach((d) => { d.open = true; }));
    const fmt = Object.keys(result.stacks.cycles).indexOf("fmt");
    const rows = await cells(page, "Counter architectures");
    same("FMT", rows.map((r) => r[1 + fmt]), rows.map((r) => share(result.stacks.cycles.fmt[r[0]] ?? 0, result.cycles, 2)));
  },
  async whatif(page) {
    const { sets, graph_cycles: all } = result.graph;
    await page.click("details.data summary");
    await page.click('[aria-label="All combinations"] > button');
    same("all combinations", (await cells(page, "All combinations")).map((r) => r.slice(0, 3)),
      sets.map((s) => [s.classes.join("+") || "(nothing)", count(s.cycles), share(s.cost, all, 2)]));
    for (const n of [0, 3, 21, 99, 128, 255].filter((i) => i < sets.length)) {
      await open(page, `#whatif&mend=${encodeURIComponent(sets[n].classes.join("+"))}`);
      expect(`cycles without ${sets[n].classes}`, (await page.textContent(".answer")).includes(`${count(sets[n].cycles)} cycles`));
      same("switches", await page.$$eval(".switches input:checked", (on) => on.length), sets[n].classes.length);
    }
    await open(page, "#whatif");
    await page.click(".switches label");
    expect("a switch is in the fragment", (await page.evaluate(() => location.hash)).includes(`mend=${sets[1].classes[0]}`));
  },
  async why(page) {
    same("root causes", (await cells(page, "Root causes")).map((r) => r[2]).slice(0, 40), listed(result.stalls.leaves).map(([, n]) => count(n)).slice(0, 40));
    await open(page, "#why&first=symptom");
    const top = result.stalls.tree[0];
    const label = result.stalls.types.find((t) => t.set === top.set && t.name === top.name).label;
    await page.click(`.icicle g[aria-label^="${label} ${share(top.total, result.stalls.lost)}"]`);
    expect("zoom is in the fragment", (await page.evaluate(() => decodeURIComponent(location.hash))).includes(`zoom=${top.set}.${top.name}`));
    await page.focus('.icicle g[tabindex="0"]');
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Escape");
    await page.waitForTimeout(100);
    expect("Escape goes back", !(await page.evaluate(() => location.hash)).includes("zoom="));
    await page.focus("h2");
    await page.keyboard.press("/");
    await page.keyboard.type(label.slice(0, 4));
    expect("search marks boxes", (await page.$$(".icicle g.found")).length > 0);
  },
  async code(page) {
    const functions = result.code.functions.filter((f) => f.cycles);
    same("functions", (await cells(page, "Functions")).map((r) => [r[0], r[2]]), functions.slice(0, 12).map((f) => [f.function, count(f.cycles)]));
    const f = functions[0];
    const rows = await cells(page, "Instructions");
    same("instructions", rows.map((r) => r[3].replace(/^\u25c6 /, "")), f.instructions.map((i) => i.text));
    same("executions", rows.map((r) => r[4]), f.instructions.map((i) => (i.executions ? count(i.executions) : "")));
    const cycles = new Map();
    for (const i of f.instructions) if (i.line) cycles.set(i.line, (cycles.get(i.line) ?? 0) + (i.cycles ?? 0));
    if (!cycles.size) return;
    const lines = await page.$$eval("tr[data-line]:not(.plain)", (all) => all.map((r) => [r.cells[4].textContent, r.cells[0].textContent]));
    for (const [line, text] of lines)
      if (text) same(`line ${line}`, text, share(cycles.get(Number(line)), result.cycles, cycles.get(Number(line)) / result.cycles < 0.1 ? 2 : 1));
  },
  async path(page) {
    const c = result.critical;
    same("instructions of the path", (await cells(page, "Instructions of the path")).map((r) => [r[0], r[2]]), c.instructions.map((i) => [i.text, share(i.path, c.graph_cycles)]));
  },
  async pipeline(page) {
    const t = result.pipeline.instructions;
    expect("at least 10,000 instructions, or all", t.fetch.length >= 10000 || t.fetch.length === result.instructions);
    await page.focus(".scroller");
    await page.keyboard.press("Home");
    const texts = [];
    for (let n = 0; n < 5; n++) {
      texts.push(await page.textContent(".below"));
      await page.keyboard.press("ArrowDown");
    }
    const code = result.pipeline.code[t.code[0]];
    expect("the first instruction", texts[0].includes(code.text) && texts[0].includes(`commit ${count(t.dispatch[0] + t.ready[0] + t.issue[0] + t.complete[0] + t.commit[0])}`), texts[0]);
    for (const button of await page.$$('[aria-label="Jump to"] button')) {
      await button.click();
      expect("a jump chooses an instruction", /commit/i.test(await page.textContent(".below")));
    }
    await page.click("text=Critical chain");
    const box = await (await page.$(".scroller canvas")).boundingBox();
    await page.mouse.move(box.x + 500, box.y + 200);
    const colours = await page.$eval(".scroller canvas", (canvas) => {
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      const seen = new Set();
      for (let i = 0; i < data.length; i += 4) seen.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
      return seen.size;
    });
    expect("something is drawn", colours > 8, `${colours} colours`);
    await frames(page);
  },
  async methods(page) {
    const rows = await cells(page, "Methods side by side");
    const { sets, graph_cycles: all } = result.graph;
    const cost = (name) => ((100 * sets.find((s) => s.classes.length === 1 && s.classes[0] === name).cost) / all).toFixed(1);
    same("the graph's costs", rows[0].slice(2, 10), ["dl1", "win", "bw", "bmisp", "dmiss", "shalu", "lgalu", "imiss"].map(cost));
  },
  async machine(page) {
    const rows = new Map(await cells(page, "Machine"));
    same("rob", rows.get("window.rob"), String(result.provenance.machine.window.rob));
    expect("the command", (await page.textContent(".command")).startsWith(`culprit ${result.provenance.words[0]}`));
  },
};

const sumOf = (list) => list.reduce((a, b) => a + b, 0);

async function frames(page) {
  const times = await page.evaluate(() => new Promise((done) => {
    const scroller = document.querySelector(".scroller");
    const list = [];
    let last = 0;
    const step = (now) => {
      if (last) list.push(now - last);
      last = now;
      scroller.scrollTop += 37;
      if (list.length < 60) requestAnimationFrame(step);
      else done(list);
    };
    scroller.scrollTop = 1000;
    requestAnimationFrame(step);
  }));
  times.sort((a, b) => a - b);
  console.log(`pipeline: ${(1000 / (sumOf(times) / times.length)).toFixed(0)} frames/s, slowest of 60 ${times[times.length - 1].toFixed(0)} ms`);
}

// Of the dark page only what colours change.
async function accessible(page, where, rules) {
  await page.evaluate(axe);
  const found = await page.evaluate(async (only) => (await window.axe.run(document, { resultTypes: ["violations"], ...(only ? { runOnly: only } : {}) })).violations
    .map((v) => `${v.id}: ${v.help}: ${v.nodes.slice(0, 3).map((n) => n.target.join(" ") + " " + (n.any[0]?.message ?? "")).join("; ")}`), rules);
  for (const violation of found) expect(`axe, ${where}`, false, violation);
}

const began = performance.now();
const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox", "--disable-gpu"] });
const requests = [];
for (const colorScheme of ["light", "dark"]) {
  const context = await browser.newContext({ colorScheme, viewport: { width: 1280, height: 900 }, bypassCSP: true });
  const page = await context.newPage();
  page.on("console", (m) => ["error", "warning"].includes(m.type()) && expect("no word on the console", false, m.text()));
  page.on("pageerror", (e) => expect("no error", false, e.stack));
  page.on("request", (r) => requests.push(r.url().split("#")[0]));
  await open(page, "");
  console.log(`${colorScheme}: interactive after ${await page.evaluate(() => document.documentElement.dataset.ready)} ms`);
  for (const view of VIEWS) {
    await page.click(`nav a[href="#${view}"]`);
    await page.waitForSelector(`main#view-${view}`);
    if (shots) await page.screenshot({ path: `${shots}-${view}-${colorScheme}.png`, fullPage: true });
    await accessible(page, `${view}, ${colorScheme}`, colorScheme === "light" ? undefined : ["color-contrast"]);
    if (colorScheme === "light") {
      await open(page, `#${view}`);
      await checks[view](page);
    }
    if (process.env.DEBUG) console.log(view, Math.round(performance.now() - began));
  }
  if (colorScheme === "dark") break;
  await open(page, "#nowhere&f=%3Cscript%3E&n=%zz");
  expect("a fragment that means nothing shows the verdict", await page.$("main#view-verdict"));
  await page.setViewportSize({ width: 420, height: 800 });
  for (const view of VIEWS) {
    await page.click(`nav a[href="#${view}"]`);
    await page.waitForSelector(`main#view-${view}`);
    const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    expect(`${view} fits a narrow window`, over <= 0, `${over} pixels too wide`);
  }
  await context.close();
}
await browser.close();
expect("no request but for the file itself", requests.every((r) => r === url || r === "about:blank" || r.startsWith("data:") || r.startsWith("blob:")), requests.join(" "));
console.log(failures ? `${failures} failures` : "the page says what the result says");
process.exit(failures ? 1 : 0);
