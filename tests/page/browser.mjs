// browser.mjs CHROMIUM PAGE.html RESULT.json [SHOTS]: opens the page in a headless browser and holds it against the result.
// RESULT.txt, beside RESULT.json, is the terminal's report of it. Prints time to interactive and frame rate. SHOTS: a prefix for pictures of every view, light and dark.
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
const share = (n, whole, digits = 1) => digits === 1 && n > 0 && n / whole < 0.0005 ? "<0.1%" : `${((100 * n) / whole).toFixed(digits)}%`;
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

// The cells of a table by its name: rows of texts, those that are folded as well.
async function cells(page, name) {
  const table = `[role=region][aria-label="${name}"]`;
  const closed = await page.$(`${table} tr.folded button[aria-expanded=false]`);
  if (closed) await closed.evaluate((button) => button.click());
  await page.waitForTimeout(closed ? 30 : 0);
  return page.$eval(`${table} table`, (t) =>
    [...t.tBodies[0].rows].filter((row) => row.className !== "folded").map((row) => [...row.cells].map((cell) => cell.textContent.trim())));
}

// Before anything is opened: what rounds to nothing has no row and no entry of its own; together it has one.
async function folded(page, where) {
  const little = /^(0\.0+%|<0\.1%)$/;
  const entries = await page.$$eval(".legend li", (all) => all.filter((li) => !li.querySelector("button")).map((li) => li.querySelector("b")?.textContent.trim() ?? ""));
  same(`${where}: entries that say 0.0%`, entries.filter((text) => little.test(text)), []);
  const shares = await page.$$eval("table", (all) => all.flatMap((table) => {
    const at = [...(table.tHead?.rows[0]?.cells ?? [])].findIndex((c) => /^% of (time|lost|interval|path)$/.test(c.textContent.trim()));
    const rows = [...table.tBodies[0].rows].filter((row) => row.className !== "folded" && !/\d%/.test(row.cells[at + 2]?.textContent));
    return at < 0 ? [] : rows.map((row) => `${row.cells[0].textContent} ${row.cells[at].textContent.trim()}`);
  }));
  same(`${where}: rows that say 0.0%`, shares.filter((text) => little.test(text.split(" ").at(-1))), []);
}

// Words of axes that touch each other.
async function collisions(page, where) {
  const found = await page.$$eval("svg", (all) => all.flatMap((svg) => {
    const boxes = [...svg.querySelectorAll(".tick")].map((t) => [t.textContent, t.getBoundingClientRect()]);
    return boxes.flatMap(([a, p], i) => boxes.slice(0, i).filter(([, q]) => p.left < q.right + 2 && q.left < p.right + 2 && p.top < q.bottom - 2 && q.top < p.bottom - 2)
      .map(([b]) => `${b}|${a}`));
  }));
  same(`${where}: labels that collide`, found, []);
}

const listed = (amounts) => Object.entries(amounts).filter(([, n]) => n).sort((a, b) => b[1] - a[1]);

const checks = {
  async verdict(page) {
    same("sentences", await page.$$eval(".verdict li > p", (all) => all.map((p) => p.textContent)), result.verdict.map((s) => s.text.replaceAll("`", "")));
    same("code in sentences", await page.$$eval(".verdict li > p code", (all) => all.map((c) => c.textContent)),
      result.verdict.flatMap((s) => s.text.split("`").filter((_, i) => i % 2)));
    const rows = await cells(page, "Functions with most cycles");
    same("functions", rows.map((r) => [r[0], r[2]]), result.functions.map((f) => [f.function, share(f.cycles, result.cycles)]));
    const { commit } = result.provenance.machine;
    same("mostly", rows.map((r) => r[3]), result.functions.map((f) => {
      const [name, n] = listed(f.causes)[0];
      return `${labels[name]} ${share(n, f.cycles, 0)}${name === "commit" ? `, ${(f.instructions / n).toFixed(1)} of ${commit.width}` : ""}`;
    }));
    const answers = await page.$$eval(".verdict details", (all) => all.map((d) => d.textContent));
    expect("evidence for each sentence", answers.length === result.verdict.length);
    same("no evidence twice", answers.length, new Set(answers).size);
    same("no table of it twice", ...(await page.$$eval(".verdict details table", (all) => [all.length, new Set(all.map((t) => t.textContent)).size])));
    const printed = readFileSync(json.replace(/json$/, "txt"), "utf8").split("\n").map((line) => line.trim().split(/ +/))
      .filter((words) => ["load", "branch"].includes(words[0]) && words.length === 6);
    expect("the terminal's worst branches and loads", printed.length > 1, printed);
    const worst = await cells(page, "Worst branches and loads");
    same("worst branches and loads", worst.slice(0, printed.length).map((row) => row.map((text) => text.replace("%", ""))), printed);
  },
  async time(page) {
    const p = result.phases;
    const others = await page.$eval('[aria-label="Causes in the interval"] table', (t) => [...t.tBodies[0].rows].map((row) => Number(row.cells[1].textContent.replaceAll(",", ""))));
    same("with what is folded they add up", sumOf(others), result.cycles);
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
      await open(page, `#whatif&remove=${encodeURIComponent(sets[n].classes.join("+"))}`);
      expect(`cycles without ${sets[n].classes}`, (await page.textContent(".answer")).includes(`${count(sets[n].cycles)} cycles`));
      same("switches", await page.$$eval(".switches input:checked", (on) => on.length), sets[n].classes.length);
    }
    await open(page, "#whatif");
    await page.click(".switches label");
    expect("a switch is in the fragment", (await page.evaluate(() => location.hash)).includes(`remove=${sets[1].classes[0]}`));
  },
  async why(page) {
    same("root causes", (await cells(page, "Root causes")).map((r) => r[2]).slice(0, 40), listed(result.stalls.leaves).map(([, n]) => count(n)).slice(0, 40));
    await open(page, "#why&first=symptom");
    const top = result.stalls.tree[0];
    const label = result.stalls.types.find((t) => t.set === top.set && t.name === top.name).label;
    const texts = await page.$$eval(".icicle g", (all) => all.map((g) => [g.querySelector("text")?.textContent ?? "", g.getAttribute("aria-label")]));
    same("labels that are cut without saying so", texts.filter(([text, full]) => text && !text.endsWith("\u2026") && !/^( [<\d.]+%|$|:)/.test(full.slice(text.length)))
      .map(([text]) => text), []);
    expect("cut labels end with an ellipsis", (await page.$$eval(".icicle > text", (all) => all.map((t) => t.textContent))).every((text) => text.endsWith("\u2026")));
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
    const found = (await cells(page, "Instructions of the path")).map((r) => `${r[0]} ${r[2]}`); // those that are folded come last
    same("instructions of the path", found.sort(), c.instructions.map((i) => `${i.text} ${share(i.path, c.graph_cycles)}`).sort());
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
    await windows(page);
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

const labels = { commit: "commit", memory: "memory", mispredict: "mispredict", long_op: "long ops" };
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

// Each window can be chosen; the nearest is at first, and if that is far, the page says so.
async function windows(page) {
  const p = result.pipeline;
  const all = [p, ...p.others].sort((a, b) => a.first - b.first);
  await open(page, "#pipeline");
  const rows = await cells(page, "Windows");
  same("windows", rows.map((r) => [r[0], r[1], r[3]]), all.map((w) => [share(w.first_cycle, result.cycles, 0), w.share_off.toFixed(1), count(w.first_cycle)]));
  expect("more than one window", all.length > 1 && all.every((w) => w === p || w.share_off >= p.share_off || w.instructions.code.split(" ").length < 12288));
  same("the nearest at first", await page.inputValue("main select"), String(p.first));
  const words = await page.textContent("main");
  expect("a far window is not called typical", p.share_off >= 20 ? words.includes(`even the nearest differs in ${p.share_off.toFixed(1)}%`)
    : words.includes("the nearest to the whole run"), words.slice(0, 800));
  const other = all.find((w) => w !== p);
  await page.selectOption("main select", String(other.first));
  await page.waitForTimeout(100);
  expect("the window is in the fragment", (await page.evaluate(() => location.hash)).includes(`w=${other.first}`));
  await page.focus(".scroller");
  await page.keyboard.press("Home");
  const [first] = other.instructions.code.split(" ");
  expect("its first instruction", (await page.textContent(".below")).includes(p.code[first].text) && (await page.textContent(".below")).includes(`number ${count(other.first)} `));
}

// On a telephone: bars beside the labels, source before counters, and a fade where a table goes on.
async function narrow(page, view) {
  await collisions(page, `${view}, narrow`);
  const tables = await page.$$eval(".table", (all) => all.filter((t) => t.clientWidth && t.scrollWidth > t.clientWidth + 1)
    .map((t) => getComputedStyle(t).maskImage.includes("gradient") || t.getAttribute("aria-label")));
  same(`${view}: tables that are cut without a cue`, tables.filter((t) => t !== true), []);
  if (view === "code" && await page.$('[aria-label="Source"]'))
    same("the source comes first", await page.$$eval('[aria-label="Source"] th', (all) => all.slice(0, 2).map((h) => h.textContent)), ["line", "source"]);
  if (view !== "pipeline") return;
  const coloured = await page.$eval(".scroller canvas", (canvas) => {
    const { data, width, height } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let n = 0;
    for (let y = 30; y < height; y++)
      for (let x = Math.floor(width / 3); x < width; x++) {
        const [r, g, b] = data.slice(4 * (y * width + x), 4 * (y * width + x) + 3);
        n += Math.max(r, g, b) - Math.min(r, g, b) > 60;
      }
    return n;
  });
  expect("bars in a narrow pipeline", coloured > 200, `${coloured} pixels`);
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
    if (colorScheme === "light") {
      await folded(page, view);
      await collisions(page, view);
    }
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
  await page.setViewportSize({ width: 400, height: 800 });
  for (const view of VIEWS) {
    await page.click(`nav a[href="#${view}"]`);
    await page.waitForSelector(`main#view-${view}`);
    const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    expect(`${view} fits a narrow window`, over <= 0, `${over} pixels too wide`);
    await page.waitForTimeout(150);
    if (shots) await page.screenshot({ path: `${shots}-${view}-narrow.png`, fullPage: true });
    await narrow(page, view);
  }
  await context.close();
}
await browser.close();
expect("no request but for the file itself", requests.every((r) => r === url || r === "about:blank" || r.startsWith("data:") || r.startsWith("blob:")), requests.join(" "));
console.log(failures ? `${failures} failures` : "the page says what the result says");
process.exit(failures ? 1 : 0);
