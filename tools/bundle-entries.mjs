// node ../../tools/bundle-entries.mjs [path...]: the exports of a library and the named modules, dist/<path>.js -> bundle/<path>.js. An entry is one file and
// bundle/shared.js, which holds every module that several entries need: a file costs half a millisecond at start, and a class must not exist twice. Packages
// are not bundled. Name the modules that are loaded by their file or only when they are needed, such as the main module of a worker thread.
import { readFileSync, rmSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { writePublishedTypes } from './published-types.mjs';

const SHARED = resolve('bundle/shared.js');
const { exports } = JSON.parse(readFileSync('package.json', 'utf8'));
const exported = Object.values(exports).flatMap(({ default: file }) =>
  file === undefined ? [] : [file.replace('./bundle/', 'dist/')],
);
const entries = [...exported, ...process.argv.slice(2).map((path) => `dist/${path}.js`)];
const bundles = new Map(entries.map((entry) => [resolve(entry), resolve(bundleOf(entry))]));
const options = {
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node22',
  logLevel: 'warning',
};

rmSync('bundle', { recursive: true, force: true });
const shared = await findShared();
await build({
  ...options,
  stdin: {
    contents: shared.map((file) => `export * from './${file}';`).join('\n'),
    resolveDir: process.cwd(),
  },
  outfile: SHARED,
  plugins: [leaveOut(bundles, 'dist/shared.js')],
});
const ready = new Map([...bundles, ...shared.map((file) => [resolve(file), SHARED])]);
for (const entry of entries)
  await build({
    ...options,
    entryPoints: [entry],
    outfile: bundleOf(entry),
    plugins: [leaveOut(ready, entry)],
  });
writePublishedTypes(exports);
// A name that two shared modules export is lost; importing the bundle reveals it.
for (const bundle of bundles.values()) await import(pathToFileURL(bundle).href);

function bundleOf(entry) {
  return entry.replace('dist/', 'bundle/');
}

/** Returns the modules that several entries need, without entries that other entries import. */
async function findShared() {
  const uses = new Map();
  for (const entry of entries) {
    const { metafile } = await build({
      ...options,
      entryPoints: [entry],
      write: false,
      metafile: true,
      plugins: [leaveOut(bundles, entry)],
    });
    const used = Object.values(metafile.outputs).flatMap(({ inputs }) =>
      Object.keys(inputs).filter((file) => inputs[file].bytesInOutput > 0),
    );
    for (const file of used) uses.set(file, (uses.get(file) ?? 0) + 1);
  }
  return [...uses].flatMap(([file, count]) => (count > 1 ? [file] : []));
}

/** Replaces imports of modules that have a bundle by imports of the bundle. */
function leaveOut(bundleByModule, entry) {
  return {
    name: 'leave-out',
    setup({ onResolve }) {
      onResolve({ filter: /^\./ }, ({ kind, path, resolveDir }) => {
        const bundle =
          kind === 'entry-point' ? undefined : bundleByModule.get(resolve(resolveDir, path));
        return (
          bundle && {
            path: `./${relative(dirname(bundleOf(entry)), bundle).replaceAll('\\', '/')}`,
            external: true,
          }
        );
      });
    },
  };
}
