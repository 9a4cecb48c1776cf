// node ../../tools/bundle-entries.mjs [path...]: the exports of a library and the named modules, dist/<path>.js -> bundle/<path>.js. An entry is one file and
// one that holds every module that several exports need: a file costs half a millisecond at start, and a class must not exist twice. A module that is imported
// dynamically gets a file of its own, with what nothing else imports. Packages are not bundled. Name the modules that find other files beside themselves, or that
// no program needs at start, and the main modules of worker threads, which no module imports and which are built alone.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, transform } from 'esbuild';
import { writePublishedTypes } from './published-types.mjs';

const { exports } = JSON.parse(readFileSync('package.json', 'utf8'));
const exported = Object.values(exports).flatMap(({ default: file }) =>
  file === undefined ? [] : [file.replace('./bundle/', 'dist/')],
);
const named = process.argv.slice(2).map((path) => `dist/${path}.js`);
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
const modules = await findShared();
const builds = await Promise.all([
  build({ ...options, entryPoints: entries, plugins: [importShared()] }),
  ...programs.map((file) => build({ ...options, entryPoints: [file] })),
]);
for (const { path, text } of builds.flatMap(({ outputFiles }) => outputFiles)) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, await withoutComments(text));
}
writePublishedTypes(exports);
for (const entry of [...entries, ...programs])
  await import(pathToFileURL(resolve(entry.replace('dist/', 'bundle/'))).href);

/**
 * Returns the modules with which a load starts, exports and dynamic imports, and the modules that an export and another of these import statically.
 */
async function findShared() {
  const { outputs } = (await build({ ...options, entryPoints: entries })).metafile;
  const starts = Object.values(outputs).flatMap(({ entryPoint }) => entryPoint ?? []);
  const uses = new Map();
  for (const start of starts)
    for (const file of modulesOf(start, outputs))
      uses.set(file, [...(uses.get(file) ?? []), start]);
  const isShared = (file, users) =>
    users.length > 1 && users.some((user) => exported.includes(user)) && !starts.includes(file);
  return { starts, shared: [...uses.keys()].filter((file) => isShared(file, uses.get(file))) };
}

/** Returns the modules in the file of an entry and in the files that it imports statically. */
function modulesOf(entry, outputs) {
  const waiting = Object.keys(outputs).filter((file) => outputs[file].entryPoint === entry);
  const files = new Set(waiting);
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop())
    for (const { path, kind, external } of outputs[file].imports)
      if (kind === 'import-statement' && external !== true && !files.has(path)) {
        files.add(path);
        waiting.push(path);
      }
  return [...files].flatMap((file) => Object.keys(outputs[file].inputs));
}

/** Makes every start import every shared module: esbuild puts modules that the same starts need into one file. */
function importShared() {
  return {
    name: 'import-shared',
    setup({ onLoad }) {
      onLoad({ filter: /\.js$/, namespace: 'file' }, ({ path }) => {
        const entry = relative('.', path).replaceAll('\\', '/');
        if (!modules.starts.includes(entry)) return undefined;
        const imports = modules.shared.map((file) => `import ${JSON.stringify(resolve(file))};`);
        return { contents: [readFileSync(path, 'utf8'), ...imports].join('\n') };
      });
    },
  };
}

/** Removes comments, which are a fifth of the text that Node reads at start, and keeps the lines, which stack traces name. */
async function withoutComments(text) {
  const { code } = await transform(text, { minifyWhitespace: true, legalComments: 'none' });
  return (await transform(code, { legalComments: 'none' })).code;
}
