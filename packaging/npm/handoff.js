#!/usr/bin/env node
// Starts the program that npm has installed for this platform, in the place of this one: the
// same arguments, streams, signals and exit code.
'use strict';
const { spawn } = require('node:child_process');
const { constants } = require('node:os');

const name = `@eaapl/handoff-${process.platform}-${process.arch}`;
const program = process.platform === 'win32' ? 'handoff.exe' : 'handoff';
let path;
try {
  path = require.resolve(`${name}/bin/${program}`);
} catch {
  console.error(`handoff: the package ${name} is not installed: install @eaapl/handoff without --omit=optional; other platforms need "go install github.com/eaapl/handoff@latest github.com/eaapl/handoff/relay/handoff-relay@latest"`);
  process.exit(2);
}
const child = spawn(path, process.argv.slice(2), { stdio: 'inherit', windowsHide: true });
// A terminal sends its signals to both; those from elsewhere are passed on.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']) {
  process.on(signal, () => child.kill(signal));
}
child.on('error', (err) => {
  console.error(`handoff: ${path}: ${err.message}`);
  process.exit(2);
});
child.on('exit', (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code));
