// node ../../tools/bundle.mjs main mcp/worker: dist/<path>.js -> bundle/<name>.js, few files to load at start and a chunk for each dynamic import. Each program has its own files.
// The programs contain everything but the "dependencies" of the package.json, which are native. bundle/index.js, the library that "exports" names, contains
// neither these nor the peers; named among the paths, it shares the files of the first program. bundle/THIRD-PARTY-NOTICES.txt has the licences of the bundled packages.
// --common PATH: the start that the first program loads first in every case. It loads the modules that its small commands share.
// --loader PATH: a module that exports `chunks`, a chunk loader. The files of the first program become scripts for it; those of its entries stay modules.
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { lazyBuiltins, noResponseSchemas, unusedPackages } from './bundle-plugins.mjs';
import { makeScripts } from './bundle-scripts.mjs';
import { importAtStarts } from './bundle-starts.mjs';
import { importsOfStarts } from './imports-of-starts.mjs';
import { writePublishedTypes } from './published-types.mjs';
import { thirdPartyNotices } from './third-party-notices.mjs';

const {
  dependencies = {},
  peerDependencies = {},
  exports = {},
} = JSON.parse(readFileSync('package.json', 'utf8'));

// A process keeps the text of its modules in memory. Names stay, and lines are short, for the stacks in logs.
const form = { target: 'node22', minifyWhitespace: true, minifySyntax: true };
const LINE_LIMIT = 200;
const options = {
  ...form,
  lineLimit: LINE_LIMIT,
  outdir: 'bundle',
  entryNames: '[name]',
  bundle: true,
  splitting: true,
  chunkNames: '[name]-[hash]',
  // Chunks are made of whole modules: the sources of the workspace's libraries give smaller ones than their builds.
  conditions: ['@signalbox/source'],
  platform: 'node',
  format: 'esm',
  sourcemap: 'linked',
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
  options: { common: { type: 'string' }, loader: { type: 'string' } },
});
const common = values.common === undefined ? undefined : `dist/${values.common}.js`;
const { loader } = values;
const loaderFile = loader === undefined ? undefined : `${basename(loader)}.js`;
const programs = [
  entries.filter((entry, at) => at === 0 || entry === 'index'),
  ...entries.slice(1).flatMap((entry) => (entry === 'index' ? [] : [[entry]])),
];
const builds = [];
for (const [at, program] of programs.entries())
  builds.push(
    await buildProgram(
      program.map((path) => `dist/${path}.js`),
      at === 0 && loader !== undefined ? 0 : LINE_LIMIT,
    ),
  );
if (loader !== undefined) {
  const files = Object.keys(builds[0].metafile.outputs).map((path) => basename(path));
  await makeScripts('bundle', {
    files: files.filter((file) => file.endsWith('.js')),
    entries: programs[0].map((path) => `${basename(path)}.js`),
    loader: loaderFile,
    form: { ...form, lineLimit: LINE_LIMIT },
  });
  builds.push(await buildProgram([`dist/${loader}.js`]));
}
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
async function buildProgram(entryPoints, lineLimit = LINE_LIMIT) {
  const programOptions = {
    ...options,
    lineLimit,
    entryPoints,
    external: Object.keys(dependencies),
    plugins: [...options.plugins, apart(loaderFile)],
  };
  const { metafile } = await build({ ...programOptions, write: false });
  const imports = importsOfStarts(
    metafile,
    entryPoints,
    common in metafile.inputs ? common : undefined,
  );
  const isCommonJs = (file) => metafile.inputs[file]?.format === 'cjs';
  return build({
    ...programOptions,
    plugins: [...programOptions.plugins, importAtStarts(imports, isCommonJs)],
  });
}

/** Leaves a file of the bundle out of the files that import it. */
function apart(file) {
  return {
    name: 'apart',
    setup({ onResolve }) {
      onResolve({ filter: /^\.{1,2}\/.*\.js$/ }, ({ path, kind }) =>
        basename(path) === file && kind !== 'entry-point'
          ? { path: `./${file}`, external: true }
          : undefined,
      );
    },
  };
}
