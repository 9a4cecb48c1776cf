// node ../../tools/bundle-entries.mjs [path...] [--copy path,path...]: the exports of a library and the named modules, dist/<path>.js -> bundle/<path>.js.
// An entry is one file and one that holds the modules that several exports need: a file costs half a millisecond at start, and a class must not exist twice.
// Modules that only the exports of --copy share are copied into each of them, because most programs load one of these; a module with state, or with a symbol that an
// export publishes, must exist once and is not copied. A module that is imported dynamically gets a file of its own, with what nothing else imports. Packages are not bundled.
// Name the modules that find other files beside themselves, or that no program needs at start, and the main modules of worker threads, which no module imports and
// which are built alone.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build, transform } from 'esbuild';
import { findStarts, importAtStarts } from './bundle-starts.mjs';
import { writePublishedTypes } from './published-types.mjs';

/** Finds state of a module: a variable, a weak collection or a symbol at its top level. */
const STATE = /^(?:export )?(?:let|const \w+ = (?:new Weak|Symbol\())/m;

const { exports } = JSON.parse(readFileSync('package.json', 'utf8'));
const exported = Object.values(exports).flatMap(({ default: file }) =>
  file === undefined ? [] : [file.replace('./bundle/', 'dist/')],
);
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { copy: { type: 'string', default: '' } },
});
const toFile = (path) => `dist/${path}.js`;
const named = positionals.map(toFile);
const receivers = values.copy.split(',').filter(Boolean).map(toFile);
const options = {
  outdir: 'bundle',
  outbase: 'dist',
  chunkNames: 'shared-[hash]',
  bundle: true,
  splitting: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node22',
  logLevel: 'warning',
  metafile: true,
  write: false,
};

rmSync('bundle', { recursive: true, force: true });
const { inputs } = (await build({ ...options, entryPoints: exported })).metafile;
const programs = named.filter((file) => !(file in inputs));
const entries = [...exported, ...named.filter((file) => file in inputs)];
const published = new Set(exported.flatMap((file) => inputs[file].imports.map(({ path }) => path)));
const startsOf = findStarts((await build({ ...options, entryPoints: entries })).metafile.outputs);
const builds = await Promise.all([
  build({
    ...options,
    entryPoints: entries,
    plugins: [copyModules(), importAtStarts(importsOfStarts())],
  }),
  ...programs.map((file) => build({ ...options, entryPoints: [file] })),
]);
for (const { path, text } of builds.flatMap(({ outputFiles }) => outputFiles)) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, await withoutComments(text));
}
writePublishedTypes(exports);
for (const entry of [...entries, ...programs])
  await import(pathToFileURL(resolve(entry.replace('dist/', 'bundle/'))).href);

/** Whether each of the receivers that need a module has a copy of it. */
function isCopied(file) {
  const starts = startsOf.get(file) ?? [];
  return (
    starts.length > 1 &&
    starts.every((start) => receivers.includes(start)) &&
    !isStart(file) &&
    !published.has(file) &&
    !STATE.test(readFileSync(file, 'utf8'))
  );
}

/** Whether an export and another start need a module. */
function isShared(file) {
  const starts = startsOf.get(file) ?? [];
  return (
    starts.length > 1 &&
    starts.some((start) => exported.includes(start)) &&
    !isStart(file) &&
    !isCopied(file)
  );
}

/** Returns every shared module for every start: esbuild puts modules that the same starts need into one file. */
function importsOfStarts() {
  const shared = [...startsOf.keys()].filter(isShared);
  return new Map([...startsOf.keys()].filter(isStart).map((start) => [start, shared]));
}

function isStart(file) {
  return startsOf.get(file)?.includes(file) === true;
}

/** Resolves the import of a copied module to the copy of the export that needs the importing module: a namespace of its name holds the copies. */
function copyModules() {
  return {
    name: 'copy-modules',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^\./ }, ({ path: imported, importer, namespace, resolveDir }) => {
        const path = resolve(resolveDir, imported);
        if (!isCopied(toRelative(path))) return { path };
        const owners = namespace === 'file' ? startsOf.get(toRelative(importer)) : [namespace];
        if (owners?.length !== 1)
          throw new Error(`${importer}, which is not copied, imports ${imported}, which is`);
        return { path, namespace: owners[0] };
      });
      for (const namespace of receivers)
        onLoad({ filter: /\.js$/, namespace }, ({ path }) => ({
          contents: readFileSync(path, 'utf8'),
          resolveDir: dirname(path),
        }));
    },
  };
}

function toRelative(path) {
  return relative('.', path).replaceAll('\\', '/');
}

/** Removes comments, which are a fifth of the text that Node reads at start, and keeps the lines of statements, which stack traces name. */
async function withoutComments(text) {
  const { code } = await transform(text, {
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
  });
  return (await transform(code, { legalComments: 'none' })).code;
}
