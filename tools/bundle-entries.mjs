// node ../../tools/bundle-entries.mjs: a library's exports, dist/<path>.js -> bundle/<path>.js, with what they share in few files instead of a file per
// module, since each file costs half a millisecond at start. Packages are not bundled.
import { readFileSync, rmSync } from 'node:fs';
import { build } from 'esbuild';

const { exports } = JSON.parse(readFileSync('package.json', 'utf8'));
const entries = Object.values(exports).flatMap(({ default: file }) => (file === undefined ? [] : [file.replace('./bundle/', 'dist/')]));

rmSync('bundle', { recursive: true, force: true });
await build({
  entryPoints: entries,
  outbase: 'dist',
  outdir: 'bundle',
  bundle: true,
  splitting: true,
  chunkNames: 'shared/[hash]',
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node22',
  logLevel: 'warning',
});
