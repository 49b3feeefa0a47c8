// Builds report.html: the page without a result, one file. `culprit run --html` puts title, colours and data where the marks are.
import { build } from "esbuild";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const target = process.argv[2] ?? join(here, "report.html");

const common = { bundle: true, minify: true, write: false, logLevel: "error", absWorkingDir: here, charset: "ascii" };
const script = await build({
  ...common,
  entryPoints: ["src/main.tsx"],
  format: "iife",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
});
const style = await build({ ...common, entryPoints: ["src/style.css"] });

const licences = ["preact", "d3-hierarchy", "d3-scale", "d3-array", "d3-interpolate", "d3-format", "d3-time",
  "d3-time-format", "d3-color", "internmap"];
const notices = licences.map((name) => {
  const { version, license } = JSON.parse(readFileSync(join(here, "node_modules", name, "package.json"), "utf8"));
  return `${name} ${version} (${license})`;
});

// In a script "</" would end it, and "<!--" could.
const safe = (text) => text.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
const page = readFileSync(join(here, "src/template.html"), "utf8")
  .replace("/*style*/", () => style.outputFiles[0].text.trim())
  .replace("/*script*/", () => safe(script.outputFiles[0].text.trim()))
  .replace("/*notices*/", () => notices.join(", "));
writeFileSync(target, page);
