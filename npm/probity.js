#!/usr/bin/env node
// Starts the program of this machine's own package, which npm chose by its `os` and `cpu`.
"use strict";
const { spawnSync } = require("node:child_process");

const owner = `probity-eval-${process.platform}-${process.arch}`;
let program;
try {
  program = require.resolve(`${owner}/bin/probity${process.platform === "win32" ? ".exe" : ""}`);
} catch {
  console.error(`error: the package ${owner} is not installed`);
  console.error("hint: install without --no-optional; on other machines: cargo install probity");
  process.exit(2);
}
// Ctrl-C reaches the program too, which ends cleanly; this process waits for it.
process.on("SIGINT", () => {});
const ran = spawnSync(program, process.argv.slice(2), { stdio: "inherit" });
if (ran.error) {
  console.error(`error: ${program}: ${ran.error.message}`);
  process.exit(4);
}
process.exit(ran.status ?? 4);
