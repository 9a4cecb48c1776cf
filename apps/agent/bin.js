#!/usr/bin/env node
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 22)) {
  process.stderr.write(
    `signalbox needs Node 22.22 or newer; this is ${process.versions.node}. A checkout brings its own: npm start there, or npx --prefix CHECKOUT signalbox\n`,
  );
  process.exit(1);
}
await import('./bundle/main.js');
