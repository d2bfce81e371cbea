#!/usr/bin/env node
// Runs the program of this system, which npm installed as an optional dependency: same words, same streams, same end.
"use strict";

const { spawn } = require("node:child_process");
const path = require("node:path");
const { isatty } = require("node:tty");

const { name } = require("../package.json");
const system = `${process.platform}-${process.arch}`;

function findProgram() {
  const file = process.platform === "win32" ? `${name}.exe` : name;
  try {
    const manifest = require.resolve(`${name}-${system}/package.json`);
    return path.join(path.dirname(manifest), "bin", file);
  } catch {
    console.error(
      `error: the package ${name}-${system} is not installed\n` +
        `  hint: if there is a build for this system, install again without --omit=optional; otherwise build it from its sources`,
    );
    process.exit(1);
  }
}

// Whoever ends this script means the program, and the program decides what it does. But a terminal tells both of Ctrl-C and of its own
// end, and told a second time, the program would stop at once. (`process.stdin` would make the program's own input non-blocking.)
const forward = (signal) => child.kill(signal);
process.on("SIGTERM", forward);
for (const signal of ["SIGINT", "SIGHUP"]) {
  process.on(signal, isatty(0) ? () => {} : forward);
}
const child = spawn(findProgram(), process.argv.slice(2), { stdio: "inherit" });
child.on("error", (error) => {
  console.error(`error: ${error.message}`);
  process.exit(1);
});
child.on("exit", (status, signal) => {
  if (signal === null) {
    process.exit(status);
  }
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
