import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type BuildOptions, type Metafile, type Plugin, stop } from 'esbuild';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';

interface StartTools {
  readonly findStarts: (outputs: Metafile['outputs']) => Map<string, readonly string[]>;
  readonly importAtStarts: (
    importsOf: Map<string, readonly string[]>,
    isCommonJs: (file: string) => boolean,
  ) => Plugin;
  readonly importsOfStarts: (
    metafile: Metafile,
    programs: readonly string[],
    common: string,
  ) => Map<string, readonly string[]>;
}

const tool = (name: string): string => new URL(`../../${name}`, import.meta.url).href;
const { findStarts, importAtStarts, importsOfStarts } = {
  ...(await import(tool('bundle-starts.mjs'))),
  ...(await import(tool('imports-of-starts.mjs'))),
} as StartTools;

/** A command line with a large command `serve`, which imports a late part, and two small commands. */
const SOURCES = {
  'main.js': `export const events = [];
    globalThis.events = events;
    export const { commands } = await import('./commands.js');`,
  'commands.js': `export const commands = {
      serve: () => import('./serve.js'), list: () => import('./list.js'), show: () => import('./show.js') };`,
  'serve.js': `import { ask } from './ask.js'; import { store } from './store.js'; import { fields } from './fields.js';
    import legacy from './legacy.cjs';
    events.push('serve'); export const served = [ask, store, fields]; export const old = () => legacy;
    export const late = () => import('./late.js');`,
  'late.js': `import { store } from './store.js'; import { fields } from './fields.js'; import legacy from './legacy.cjs';
    export const stored = [store, fields, legacy];`,
  'list.js': `import { ask } from './ask.js'; export const list = ask;`,
  'show.js': `import { fields } from './fields.js'; export const show = fields;`,
  'ask.js': `events.push('ask'); export const ask = 1;`,
  'fields.js': `events.push('fields'); export const fields = 2;`,
  'store.js': `events.push('store'); export const store = '${'x'.repeat(200_000)}';`,
  'legacy.cjs': `events.push('legacy'); module.exports = 3;`,
};

let folder: string;
let options: BuildOptions & { metafile: true };

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'starts-')));
  for (const [name, text] of Object.entries(SOURCES)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  options = {
    entryPoints: [join(folder, 'main.js')],
    outdir: join(folder, 'bundle'),
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    metafile: true,
  };
});

afterAll(() => stop());

afterEach(() => rm(folder, { recursive: true, force: true }));

/** Returns the number of files that the start of a module loads, by its name. */
function filesOfStart({ outputs }: Metafile, name: string): number {
  const isOf = (entry: string | undefined) => entry?.endsWith(`/${name}`) === true;
  const files = new Set(Object.keys(outputs).filter((file) => isOf(outputs[file]?.entryPoint)));
  for (const file of files)
    for (const { path, kind } of outputs[file]?.imports ?? [])
      if (kind === 'import-statement') files.add(path);
  return files.size;
}

const source = (name: string) => relative('', join(folder, name));

test('modules that are loaded before a start are in one file with it, and run once and in order', async () => {
  const { metafile: split } = await build({ ...options, write: false });
  const imports = importsOfStarts(split, [source('main.js')], source('commands.js'));
  const isCommonJs = (file: string) => split.inputs[file]?.format === 'cjs';
  const { metafile } = await build({ ...options, plugins: [importAtStarts(imports, isCommonJs)] });

  expect(filesOfStart(split, 'serve.js')).toBeGreaterThan(filesOfStart(metafile, 'serve.js'));
  // Its own file, what it shares with the late part, what the commands share, and what esbuild adds.
  expect(filesOfStart(metafile, 'serve.js')).toBeLessThanOrEqual(4);
  // A small command loads the shared modules of small commands, and not those of the large one.
  const starts = findStarts(metafile.outputs);
  expect(starts.get(source('fields.js'))).toContain(source('list.js'));
  expect(starts.get(source('store.js'))).not.toContain(source('list.js'));

  const { commands, events } = (await import(
    pathToFileURL(join(folder, 'bundle', 'main.mjs')).href
  )) as { commands: { serve: () => Promise<{ late: () => Promise<object> }> }; events: string[] };
  const { late } = await commands.serve();
  expect(events).toEqual(expect.arrayContaining(['ask', 'fields', 'store', 'serve', 'legacy']));
  await late();
  expect(events.length).toBe(new Set(events).size);
});

test('a module of CommonJS that only a later start needs does not run with an earlier start', async () => {
  await writeFile(
    join(folder, 'serve.js'),
    SOURCES['serve.js']
      .replace("import legacy from './legacy.cjs';", '')
      .replace(
        'export const old = () => legacy;',
        "export const old = () => require('./legacy.cjs');",
      ),
  );
  const { metafile: split } = await build({ ...options, write: false });
  const imports = importsOfStarts(split, [source('main.js')], source('commands.js'));
  await build({
    ...options,
    plugins: [importAtStarts(imports, (file) => split.inputs[file]?.format === 'cjs')],
  });
  const { commands, events } = (await import(
    pathToFileURL(join(folder, 'bundle', 'main.mjs')).href
  )) as { commands: { serve: () => Promise<object> }; events: string[] };
  await commands.serve();
  expect(events).not.toContain('legacy');
});
