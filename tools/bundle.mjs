// node ../../tools/bundle.mjs main executor: dist/<name>.js -> bundle/<name>.js, one file to load at start and others for what is imported when it is
// needed. Everything is in them but the "dependencies" of the package.json, which are native. The library that "exports" names, bundle/index.js, also leaves
// out the peers. bundle/THIRD-PARTY-NOTICES.txt has the licences of what came in.
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
  bundle: true,
  splitting: true,
  chunkNames: '[name]-[hash]',
  platform: 'node',
  format: 'esm',
  target: 'node22',
  sourcemap: 'linked',
  banner: {
    js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);",
  },
  logLevel: 'warning',
  metafile: true,
};

rmSync('bundle', { recursive: true, force: true });
const programs = await build({
  ...options,
  entryPoints: process.argv.slice(2).map((name) => `dist/${name}.js`),
  external: Object.keys(dependencies),
});
const builds = [programs];
// Apart from the programs: what they share with it would be one more file to load at their start.
if (exports['.'] !== undefined)
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
