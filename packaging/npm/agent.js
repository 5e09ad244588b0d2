#!/usr/bin/env node
// Starts the program of the package for this platform, in the place of this process as
// far as Node can: input, output, signals and the exit status are the program's.
const { spawn } = require("node:child_process");

const name = `@SCOPE@/agent-${process.platform}-${process.arch}`;
let program;
try {
  program = require.resolve(`${name}/bin/agent`);
} catch {
  console.error(`agent: ${name} is not installed; install again without --omit=optional, on linux, darwin or freebsd with x64 or arm64`);
  process.exit(1);
}
const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"]) {
  process.on(signal, () => child.kill(signal));
}
child.on("error", (error) => {
  console.error(`agent: ${program} cannot be started: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  if (signal) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  } else {
    process.exit(code);
  }
});
