import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Returns the starts that import a module statically, by module. A load starts with an entry or a dynamic import. `outputs` are those of an esbuild metafile. */
export function findStarts(outputs) {
  const found = new Map();
  for (const start of Object.values(outputs).flatMap(({ entryPoint }) => entryPoint ?? []))
    for (const file of modulesOf(start, outputs))
      found.set(file, [...(found.get(file) ?? []), start]);
  return found;
}

/** Returns the modules in the file of an entry and in the files that it imports statically. */
export function modulesOf(entry, outputs) {
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

/**
 * The esbuild plugin that makes starts import more modules than their source names. Paths are relative to the working directory. A module is imported although its package declares
 * that it has no side effects, which would make esbuild drop the import. The modules of CommonJS among them (`isCommonJs`) get into the file, but do not run.
 */
export function importAtStarts(importsOf, isCommonJs = () => false) {
  const files = new Map([...importsOf].map(([start, imports]) => [resolve(start), imports]));
  return {
    name: 'import-at-starts',
    setup({ onLoad, onResolve }) {
      onResolve({ filter: /^loaded-before:/ }, ({ path }) => ({
        path: path.slice('loaded-before:'.length),
        sideEffects: true,
      }));
      onLoad({ filter: /\.(?:js|mjs|ts)$/, namespace: 'file' }, ({ path }) => {
        const imports = files.get(path);
        if (imports === undefined) return undefined;
        const specifier = (file) => JSON.stringify(`loaded-before:${resolve(file)}`);
        const required = imports.filter(isCommonJs).map((file) => `require(${specifier(file)})`);
        return {
          contents: [
            readFileSync(path, 'utf8'),
            ...imports
              .filter((file) => !isCommonJs(file))
              .map((file) => `import ${specifier(file)};`),
            ...(required.length === 0
              ? []
              : [`export const loadedBefore = () => [${required.join(', ')}];`]),
          ].join('\n'),
          loader: path.endsWith('.ts') ? 'ts' : 'js',
          resolveDir: dirname(path),
        };
      });
    },
  };
}
