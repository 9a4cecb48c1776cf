// node ../../tools/bundle.mjs main mcp/worker: dist/<path>.js -> bundle/<name>.js, one file to load at start and a chunk for each dynamic import.
// The programs contain everything but the "dependencies" of the package.json, which are native. bundle/index.js, the library that "exports" names, contains
// neither these nor the peers; named among the paths, it is built as a program. bundle/THIRD-PARTY-NOTICES.txt has the licences of the bundled packages.
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';
import { writePublishedTypes } from './published-types.mjs';
import { thirdPartyNotices } from './third-party-notices.mjs';

const {
  dependencies = {},
  peerDependencies = {},
  exports = {},
} = JSON.parse(readFileSync('package.json', 'utf8'));

/**
 * Loads less of Node at start. An import of node:http evaluates all of its exports, which loads undici, so it is required instead. fastify requires node:https
 * and node:http2, which a server of plain HTTP never uses: these are loaded with the first use of an export.
 */
const lazyBuiltins = {
  name: 'lazy-builtins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:(?:http|https|http2)$/ }, ({ path, kind, namespace }) => {
      if (namespace !== 'file') return { path, external: true };
      if (kind === 'import-statement') return { path, namespace: 'required' };
      return kind === 'require-call' && path !== 'node:http'
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
writePublishedTypes(exports);
