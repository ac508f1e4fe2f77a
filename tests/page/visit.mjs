// A visit to the web page in a real browser, as a person makes it. Each look checks that nothing is cut off at 1280 and 390
// pixels, and that axe-core finds nothing. The browser's console must have no error.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";
import { layoutFaults } from "./layout.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Opens a browser for pages of the servers with these addresses. `folder` gets the screenshots. */
export async function visit(servers, executablePath, folder) {
  const problems = [];
  /** The number of requests that the server refused. The browser logs each. */
  let refused = 0;
  // The sandbox of Chromium needs rights that root in a container does not have.
  const args = process.getuid() === 0 ? ["--no-sandbox"] : [];
  const browser = await chromium.launch({ executablePath, args });
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  page.setDefaultTimeout(30_000);
  page.on("pageerror", (error) => problems.push(`script: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() !== "error") return;
    if (/status of (400|404|422)/.test(message.text())) refused += 1;
    else problems.push(`console: ${message.text()}`);
  });
  page.on("request", (request) => {
    if (!servers.some((server) => new URL(request.url()).origin === new URL(server).origin)) problems.push(`a request leaves the server: ${request.url()}`);
  });

  /** Looks at the page at both widths and in both themes. */
  async function look(name) {
    for (const [width, colorScheme] of [[1280, "light"], [390, "dark"]]) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      // The page draws the canvas again for the theme.
      await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
      await page.screenshot({ path: `${folder}/${name}-${width}.png`, fullPage: true });
      for (const fault of await page.evaluate(layoutFaults)) problems.push(`${name} at ${width}: ${fault}`);
      // Evaluated by the debugger, which the content security policy does not concern.
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => globalThis.axe.run());
      for (const { id, help, nodes } of violations) problems.push(`${name} at ${width}: ${id}: ${help}: ${nodes[0].html.slice(0, 200)}`);
    }
    await page.setViewportSize({ width: 1280, height: 900 });
    console.log(`==> ${name}`);
  }

  /** Ends the visit, in which the server must have refused so many requests. Sets the exit status. */
  async function end(name, expected) {
    await browser.close();
    if (refused !== expected) problems.push(`the server refused ${refused} requests instead of ${expected}`);
    for (const problem of problems) console.log(`problem: ${problem}`);
    console.log(problems.length === 0 ? `${name} found no problem` : `${name} found ${problems.length} problems`);
    process.exitCode = problems.length === 0 ? 0 : 1;
  }

  const button = (name) => page.getByRole("button", { name, exact: true });
  return { page, problems, look, button, end };
}
