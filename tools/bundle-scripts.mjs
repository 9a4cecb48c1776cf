import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transform } from 'esbuild';

/** The beginning of a script, which evaluates to a function that the chunk loader calls. */
const BEGIN =
  '(function(exports,require,module,__filename,__dirname,__url,__importChunk){"use strict";';
/** The banner of a bundle's files. Scripts get `require` from their loader instead. */
const BANNER = /^import\{createRequire as createBundleRequire\}[^\n]*\n/;

/**
 * Turns the chunks of a build into scripts for a chunk loader: only for scripts can Node write a code cache that contains the functions that have run. `entries` are the
 * files that stay modules and load the others through `loader`, a module that exports `chunks`. Chunks do not use top-level await. All paths are names in `folder`. The build has
 * no line limit, which would break names; `form` has the options that give the files their form.
 */
export async function makeScripts(folder, { files, entries, loader, form }) {
  const chunks = new Set(files.filter((file) => !entries.includes(file)));
  await Promise.all([
    ...entries.map((file) => replaceFile(folder, file, makeEntry)),
    ...[...chunks].map((file) => replaceFile(folder, file, makeScript)),
  ]);

  /** Replaces the imports of chunks. esbuild writes them in three forms. */
  async function makeEntry(text) {
    const code = text.replace(
      /\bimport(?:\{([^}]*)\}from)?"\.\/([\w-]+\.js)";/g,
      (statement, names, file) => {
        if (!chunks.has(file)) return statement;
        const load = `__chunks.load("./${file}");`;
        return names === undefined ? load : `const{${names.replaceAll(' as ', ':')}}=${load}`;
      },
    );
    const imports = `import{chunks as __chunks}from"./${loader}";`;
    return transform(`${imports}${replaceImportCalls(code, '__chunks.importChunk')}`, {
      ...form,
      sourcemap: 'external',
    });
  }

  async function makeScript(text) {
    const { code, map } = await transform(text.replace(BANNER, '\n'), {
      ...form,
      lineLimit: 0,
      format: 'cjs',
      sourcemap: 'external',
      define: {
        'import.meta.url': '__url',
        'import.meta.dirname': '__dirname',
        'import.meta.filename': '__filename',
      },
    });
    return transform(withMap(replaceImportCalls(code, '__importChunk'), map), {
      ...form,
      sourcemap: 'external',
      banner: BEGIN,
      footer: '})',
    });
  }

  function replaceImportCalls(code, importChunk) {
    return code.replace(/\bimport\(("\.\/([\w-]+\.js)")\)/g, (call, name, file) =>
      chunks.has(file) ? `${importChunk}(${name})` : call,
    );
  }
}

async function replaceFile(folder, file, change) {
  const path = join(folder, file);
  const text = readFileSync(path, 'utf8').replace(/^\/\/# sourceMappingURL=.*\n?$/m, '');
  const { code, map } = await change(withMap(text, readFileSync(`${path}.map`)));
  writeFileSync(path, `${code}//# sourceMappingURL=${file}.map\n`);
  writeFileSync(`${path}.map`, map);
}

function withMap(text, map) {
  const url = `data:application/json;base64,${Buffer.from(map).toString('base64')}`;
  return `${text}\n//# sourceMappingURL=${url}`;
}
