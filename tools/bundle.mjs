// node ../../tools/bundle.mjs main mcp/worker: dist/<path>.js -> bundle/<name>.js, two files to load at start and a chunk for each dynamic import.
// The programs contain everything but the "dependencies" of the package.json, which are native. bundle/index.js, the library that "exports" names, contains
// neither these nor the peers; named among the paths, it is built as a program. bundle/THIRD-PARTY-NOTICES.txt has the licences of the bundled packages.
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';
import { findStarts, importAtStarts } from './bundle-starts.mjs';
import { writePublishedTypes } from './published-types.mjs';
import { thirdPartyNotices } from './third-party-notices.mjs';

const {
  dependencies = {},
  peerDependencies = {},
  exports = {},
} = JSON.parse(readFileSync('package.json', 'utf8'));

/**
 * Loads less of Node at start. An import of a module of Node evaluates all of its exports: that of node:fs loads node:readline and more, that of node:http undici.
 * So they are required instead. fastify requires node:https and node:http2, which a server of plain HTTP never uses: these are loaded with the first use of an export.
 */
const lazyBuiltins = {
  name: 'lazy-builtins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path, kind, namespace }) => {
      if (namespace !== 'file') return { path, external: true };
      if (kind === 'import-statement') return { path, namespace: 'required' };
      return kind === 'require-call' && /^node:http[s2]$/.test(path)
        ? { path, namespace: 'required-at-use' }
        : { path, external: true };
    });
    onLoad({ filter: /^/, namespace: 'required' }, ({ path }) => ({
      contents: `module.exports = require('${path}');`,
    }));
    onLoad({ filter: /^/, namespace: 'required-at-use' }, ({ path }) => ({
      contents: `module.exports = new Proxy({}, { get: (_, name) => require('${path}')[name] });`,
    }));
  },
};

/** Leaves out the drivers that BullMQ loads for other engines than those in use, and the native driver that pg loads on request. */
const unusedDrivers = {
  name: 'unused-drivers',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(?:pg-native|@valkey\/valkey-glide)$/ }, ({ path }) => ({
      path,
      namespace: 'unused-driver',
    }));
    onLoad({ filter: /^/, namespace: 'unused-driver' }, ({ path }) => ({
      contents: `throw new Error('the package ${path} is not part of this program');`,
    }));
  },
};

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
  metafile: true,
  plugins: [lazyBuiltins, unusedDrivers],
};

// copy-console.mjs replaces the console, which a running service keeps serving meanwhile.
for (const path of globSync('bundle/*', { exclude: ['bundle/console'] }))
  rmSync(path, { recursive: true, force: true });
const entries = process.argv.slice(2);
const programOptions = {
  ...options,
  entryPoints: entries.map((path) => `dist/${path}.js`),
  external: Object.keys(dependencies),
};
const split = await build({ ...programOptions, write: false });
const programs = await build({
  ...programOptions,
  plugins: [...options.plugins, importAtStarts(importsOfStarts(split.metafile))],
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
writePublishedTypes(exports);

/**
 * Returns the modules that the start of a dynamic import must import as well, by start: those that its program has loaded by then. Otherwise esbuild writes a file
 * for each combination of starts that share modules, and a program loads each of them at its own start, a third of a millisecond for each. A start that several programs
 * import is left out, because the modules of one would be loaded by the others.
 */
function importsOfStarts({ inputs, outputs }) {
  const startsOf = findStarts(outputs);
  const programsOf = new Map();
  for (const program of programOptions.entryPoints)
    for (const start of startsReachedFrom(program))
      programsOf.set(start, [...(programsOf.get(start) ?? []), program]);
  const found = new Map();
  for (const [start, reaching] of programsOf)
    if (reaching.length === 1 && start !== reaching[0] && inputs[start]?.format === 'esm')
      found.set(
        start,
        [...startsOf].flatMap(([file, starts]) => {
          if (starts.length === 1 || !starts.includes(reaching[0])) return [];
          if (file.startsWith('required:')) return file.slice('required:'.length);
          return inputs[file].format === 'esm' ? file : [];
        }),
      );
  return found;

  function startsReachedFrom(program) {
    const reached = new Set([program]);
    const waiting = [program];
    for (let file = waiting.pop(); file !== undefined; file = waiting.pop())
      for (const { path, external } of inputs[file].imports)
        if (external !== true && !reached.has(path)) {
          reached.add(path);
          waiting.push(path);
        }
    return [...reached].filter((file) => startsOf.get(file)?.includes(file) === true);
  }
}
