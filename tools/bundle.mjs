// node ../../tools/bundle.mjs main executor: dist/<name>.js -> bundle/<name>.js, one file to load at start, with everything in it but native modules
// and what is imported when it is needed.
import { rmSync } from 'node:fs';
import { build } from 'esbuild';

rmSync('bundle', { recursive: true, force: true });

await build({
  entryPoints: process.argv.slice(2).map((name) => `dist/${name}.js`),
  outdir: 'bundle',
  bundle: true,
  splitting: true,
  chunkNames: '[name]-[hash]',
  platform: 'node',
  format: 'esm',
  target: 'node22',
  sourcemap: 'linked',
  external: ['better-sqlite3'],
  banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
  logLevel: 'warning',
});
