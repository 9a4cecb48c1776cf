// node ../../tools/bundle.mjs main mcp/worker: dist/<path>.js -> bundle/<name>.js, few files to load at start and a chunk for each dynamic import. Each program has its own files.
// The programs contain everything but the "dependencies" of the package.json, which are native. bundle/index.js, the library that "exports" names, contains
// neither these nor the peers; named among the paths, it shares the files of the first program. bundle/THIRD-PARTY-NOTICES.txt has the licences of the bundled packages.
// --common PATH: the start that the first program loads first in every case. It loads the modules that its small commands share.
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { lazyBuiltins, noResponseSchemas, unusedPackages } from './bundle-plugins.mjs';
import { importAtStarts } from './bundle-starts.mjs';
import { importsOfStarts } from './imports-of-starts.mjs';
import { writePublishedTypes } from './published-types.mjs';
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
  // A process keeps the text of its modules in memory. Names stay, and lines are short, for the stacks in logs.
  minifyWhitespace: true,
  minifySyntax: true,
  lineLimit: 200,
  banner: {
    js: "import{createRequire as createBundleRequire}from'node:module';const require=createBundleRequire(import.meta.url);",
  },
  logLevel: 'warning',
  logOverride: { 'ignored-bare-import': 'silent' },
  metafile: true,
  plugins: [lazyBuiltins, unusedPackages, noResponseSchemas],
};

// copy-console.mjs replaces the console, which a running service keeps serving meanwhile.
for (const path of globSync('bundle/*', { exclude: ['bundle/console'] }))
  rmSync(path, { recursive: true, force: true });
const { values, positionals: entries } = parseArgs({
  allowPositionals: true,
  options: { common: { type: 'string' } },
});
const common = values.common === undefined ? undefined : `dist/${values.common}.js`;
const programs = [
  entries.filter((entry, at) => at === 0 || entry === 'index'),
  ...entries.slice(1).flatMap((entry) => (entry === 'index' ? [] : [[entry]])),
];
const builds = [];
for (const program of programs)
  builds.push(await buildProgram(program.map((path) => `dist/${path}.js`)));
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
writePublishedTypes(exports);

/** Builds twice: the first build tells which modules the starts of dynamic imports share. */
async function buildProgram(entryPoints) {
  const programOptions = { ...options, entryPoints, external: Object.keys(dependencies) };
  const { metafile } = await build({ ...programOptions, write: false });
  const imports = importsOfStarts(
    metafile,
    entryPoints,
    common in metafile.inputs ? common : undefined,
  );
  const isCommonJs = (file) => metafile.inputs[file]?.format === 'cjs';
  return build({
    ...programOptions,
    plugins: [...options.plugins, importAtStarts(imports, isCommonJs)],
  });
}
