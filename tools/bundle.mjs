// node ../../tools/bundle.mjs main mcp/worker: dist/<path>.js -> bundle/<name>.js, one file to load at start and a chunk for each dynamic import.
// The programs contain everything but the "dependencies" of the package.json, which are native. bundle/index.js, the library that "exports" names, contains
// neither these nor the peers; named among the paths, it is built as a program. bundle/THIRD-PARTY-NOTICES.txt has the licences of the bundled packages.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';
import { thirdPartyNotices } from './third-party-notices.mjs';

const {
  dependencies = {},
  peerDependencies = {},
  exports = {},
} = JSON.parse(readFileSync('package.json', 'utf8'));

const options = {
  outdir: 'bundle',
  entryNames: '[name]',
  bundle: true,
  splitting: true,
  chunkNames: '[name]-[hash]',
  // Chunks are made of whole modules: the sources of the workspace's libraries give smaller ones than their builds.
  conditions: ['@signalbox/source'],
  platform: 'node',
  format: 'esm',
  target: 'node22',
  sourcemap: 'linked',
  banner: {
    js: "import{createRequire as createBundleRequire}from'node:module';const require=createBundleRequire(import.meta.url);",
  },
  logLevel: 'warning',
  metafile: true,
};

rmSync('bundle', { recursive: true, force: true });
const entries = process.argv.slice(2);
const programs = await build({
  ...options,
  entryPoints: entries.map((path) => `dist/${path}.js`),
  external: Object.keys(dependencies),
});
const builds = [programs];
// Built apart from the programs, which would have one more file to load at start: the modules that both use.
if (exports['.'] !== undefined && !entries.includes('index'))
  builds.push(
    await build({
      ...options,
      entryPoints: ['dist/index.js'],
      external: Object.keys({ ...dependencies, ...peerDependencies }),
    }),
  );
writeFileSync(
  'bundle/THIRD-PARTY-NOTICES.txt',
  thirdPartyNotices(builds.map(({ metafile }) => metafile)),
);
