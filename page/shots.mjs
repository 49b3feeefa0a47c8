import { chromium } from "playwright-core";
const [file, prefix, ...views] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
for (const scheme of ["light", "dark"]) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, colorScheme: scheme });
  page.on("console", (m) => console.log(scheme, m.type(), m.text()));
  page.on("pageerror", (e) => console.log(scheme, "ERROR", e.message));
  for (const v of views) {
    await page.goto("file://" + file + "#" + v);
    await page.waitForFunction(() => document.documentElement.dataset.ready, null, { timeout: 8000 }).catch((e) => console.log(e.message));
    await page.waitForTimeout(150);
    await page.screenshot({ path: `${prefix}-${v.replace(/[^\w]+/g, "_")}-${scheme}.png`, fullPage: true });
  }
  console.log("ready ms", await page.evaluate(() => document.documentElement.dataset.ready));
}
await browser.close();
