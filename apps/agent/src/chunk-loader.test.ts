import { execFile } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { Script } from 'node:vm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ChunkLoader } from './chunk-loader.ts';

const HEADER_BYTES = 8;

let home: string;
let folder: string;
let cacheFolder: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'chunks-'));
  folder = join(home, 'bundle');
  cacheFolder = join(home, 'cache');
  mkdirSync(folder);
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** Writes a chunk; returns its text. */
function chunk(name: string, body: string): string {
  const text = `(function(exports,require,module,filename,dirname,url,importChunk){${body}})`;
  writeFileSync(join(folder, name), text);
  return text;
}

/** Returns a loader as another process would have it. */
function cachedLoader(): ChunkLoader {
  const loader = new ChunkLoader(folder);
  loader.useCodeCache({ folder: cacheFolder, withFixedFlags: (work) => work() });
  return loader;
}

function cacheFiles(): readonly { readonly name: string; readonly inode: number }[] {
  return readdirSync(cacheFolder).map((name) => ({
    name,
    inode: statSync(join(cacheFolder, name)).ino,
  }));
}

test('a chunk runs once, and loads other chunks, modules of Node and packages', async () => {
  chunk('a.js', 'exports.runs=(globalThis.chunkRuns=(globalThis.chunkRuns??0)+1);exports.name="a"');
  chunk(
    'b.js',
    'const a=require("./a.js");module.exports={a,path:require("node:path"),scope:{filename,dirname,url},later:()=>importChunk("./a.js")}',
  );
  const loader = new ChunkLoader(folder);
  const b = loader.load('./b.js') as {
    readonly a: object;
    readonly path: { readonly sep: string };
    readonly scope: object;
    later(): Promise<object>;
  };
  expect(b.a).toEqual({ runs: 1, name: 'a' });
  expect(await b.later()).toBe(b.a);
  expect(await loader.importChunk('./a.js')).toBe(b.a);
  expect(b.path.sep).toBe(join('a', 'b')[1]);
  const filename = join(folder, 'b.js');
  expect(b.scope).toEqual({ dirname: folder, filename, url: pathToFileURL(filename).href });
});

test('a chunk that fails runs again at the next load, and its error names the file and the line', async () => {
  chunk('a.js', '\nthrow new Error("no luck");');
  const loader = new ChunkLoader(folder);
  await expect(loader.importChunk('./a.js')).rejects.toMatchObject({
    message: 'no luck',
    stack: expect.stringContaining(`${join(folder, 'a.js')}:2:`) as string,
  });
  chunk('a.js', 'exports.name="a"');
  expect(loader.load('./a.js')).toEqual({ name: 'a' });
});

test('an import() in a chunk resolves packages as a module of the folder does', async () => {
  mkdirSync(join(home, 'node_modules/inner'), { recursive: true });
  writeFileSync(join(home, 'node_modules/inner/package.json'), '{"exports":"./index.mjs"}');
  writeFileSync(join(home, 'node_modules/inner/index.mjs'), 'export const name = "inner";');
  chunk('a.js', 'exports.load=(name)=>import(name)');
  // Vitest replaces import() in this process.
  const program = `
    import { ChunkLoader } from ${JSON.stringify(new URL('chunk-loader.ts', import.meta.url).href)};
    console.log((await new ChunkLoader(${JSON.stringify(folder)}).load('./a.js').load('inner')).name);
  `;
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '--eval',
    program,
  ]);
  expect(stdout).toBe('inner\n');
});

test('a cache holds the functions that have run, and a later process uses it', async () => {
  const body = `function sum(){return [${'1+2,'.repeat(2000)}].length}exports.total=sum()`;
  const text = chunk('a.js', body);
  const first = cachedLoader();
  first.load('./a.js');
  await first.saveCodeCache();
  const files = cacheFiles();
  expect(files).toHaveLength(1);
  const saved = readFileSync(join(cacheFolder, files[0]?.name ?? '')).length - HEADER_BYTES;
  expect(saved).toBeGreaterThan(new Script(text).createCachedData().length * 2);

  const second = cachedLoader();
  expect(second.load('./a.js')).toEqual({ total: 2000 });
  await second.saveCodeCache();
  expect(cacheFiles()).toEqual(files);
});

test('a chunk of the same length with another text does not run the code of its predecessor', async () => {
  chunk('a.js', 'exports.name="a"');
  const first = cachedLoader();
  first.load('./a.js');
  await first.saveCodeCache();
  const files = cacheFiles();

  chunk('a.js', 'exports.name="b"');
  const second = cachedLoader();
  expect(second.load('./a.js')).toEqual({ name: 'b' });
  await second.saveCodeCache();
  expect(cacheFiles()).not.toEqual(files);
  expect(cachedLoader().load('./a.js')).toEqual({ name: 'b' });
});

test.each([
  { damage: 'cut', damaged: (content: Buffer) => content.subarray(0, 40) },
  { damage: 'empty', damaged: () => Buffer.alloc(0) },
  {
    damage: 'changed',
    damaged: (content: Buffer) => content.fill(content.readUInt8(100) ^ 1, 100, 101),
  },
])('a cache file that is $damage is ignored and replaced', async ({ damaged }) => {
  chunk('a.js', 'exports.name=(()=>"a")()');
  const first = cachedLoader();
  first.load('./a.js');
  await first.saveCodeCache();
  const [file] = cacheFiles();
  const path = join(cacheFolder, file?.name ?? '');
  const content = readFileSync(path);
  writeFileSync(path, damaged(Buffer.from(content)));
  const second = cachedLoader();
  expect(second.load('./a.js')).toEqual({ name: 'a' });
  await second.saveCodeCache();
  expect(cacheFiles()).not.toEqual([file]);
  expect(readFileSync(path)).toHaveLength(content.length);
});

test('a cache that V8 rejects is replaced', async () => {
  chunk('a.js', 'exports.name=(()=>"a")()');
  // A process compiles a text once, and then needs no cache.
  const program = `
    import { ChunkLoader } from ${JSON.stringify(new URL('chunk-loader.ts', import.meta.url).href)};
    const loader = new ChunkLoader(${JSON.stringify(folder)});
    loader.useCodeCache({ folder: ${JSON.stringify(cacheFolder)}, withFixedFlags: (work) => work() });
    console.log(loader.load('./a.js').name);
    await loader.saveCodeCache();
  `;
  const run = async (...flags: readonly string[]): Promise<string> => {
    const { stdout } = await promisify(execFile)(process.execPath, [
      ...flags,
      '--input-type=module',
      '--eval',
      program,
    ]);
    return stdout;
  };
  expect(await run()).toBe('a\n');
  const written = cacheFiles();
  expect(await run()).toBe('a\n');
  expect(cacheFiles()).toEqual(written);
  expect(await run('--no-opt')).toBe('a\n');
  expect(cacheFiles()).not.toEqual(written);
});

test('a folder that other users can write to is not used', async () => {
  mkdirSync(cacheFolder);
  chmodSync(cacheFolder, 0o777);
  chunk('a.js', 'exports.name="a"');
  const loader = cachedLoader();
  expect(loader.load('./a.js')).toEqual({ name: 'a' });
  await loader.saveCodeCache();
  expect(cacheFiles()).toEqual([]);
});

test('a folder is not used if other users can replace it', async () => {
  const shared = join(home, 'shared');
  mkdirSync(shared);
  chmodSync(shared, 0o777);
  cacheFolder = join(shared, 'cache');
  chunk('a.js', 'exports.name="a"');
  const loader = cachedLoader();
  expect(loader.load('./a.js')).toEqual({ name: 'a' });
  await loader.saveCodeCache();
  expect(cacheFiles()).toEqual([]);
});

test('the caches stay in the folder to which a symbolic link led at the start', async () => {
  const own = join(home, 'own');
  const other = join(home, 'other');
  for (const path of [own, other]) mkdirSync(path, { mode: 0o700 });
  symlinkSync(own, cacheFolder);
  chunk('a.js', 'exports.name="a"');
  const loader = cachedLoader();
  loader.load('./a.js');
  rmSync(cacheFolder);
  symlinkSync(other, cacheFolder);
  await loader.saveCodeCache();
  expect(readdirSync(other)).toEqual([]);
  expect(readdirSync(own)).toHaveLength(1);
});

test('the caches of an earlier build and the files of killed processes are removed, and the caches of other bundles are kept', async () => {
  chunk('a-1.js', 'exports.name="a"');
  chunk('b.js', 'exports.name="b"');
  const earlier = cachedLoader();
  for (const name of ['./a-1.js', './b.js']) earlier.load(name);
  await earlier.saveCodeCache();
  const kept = cacheFiles().filter(({ name }) => name.endsWith('b.js'));
  expect(kept).toHaveLength(1);
  writeFileSync(join(cacheFolder, `${kept[0]?.name}.0b5c`), 'half');

  const ownFolder = folder;
  folder = join(home, 'another-bundle');
  mkdirSync(folder);
  chunk('c.js', 'exports.name="c"');
  const another = cachedLoader();
  another.load('./c.js');
  await another.saveCodeCache();
  expect(cacheFiles()).toHaveLength(4);

  folder = ownFolder;
  rmSync(join(folder, 'a-1.js'));
  chunk('a-2.js', 'exports.name="a"');
  const later = cachedLoader();
  later.load('./a-2.js');
  await later.saveCodeCache();
  expect(cacheFiles()).toHaveLength(3);
  expect(cacheFiles()).toEqual(expect.arrayContaining(kept));
});

test('a folder that disappears costs nothing but the cache', async () => {
  chunk('a.js', 'exports.name="a"');
  const loader = cachedLoader();
  rmSync(cacheFolder, { recursive: true });
  expect(loader.load('./a.js')).toEqual({ name: 'a' });
  await expect(loader.saveCodeCache()).resolves.toBeUndefined();
});
