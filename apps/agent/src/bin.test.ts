import { execFile } from 'node:child_process';
import {
  chmodSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const BIN = join(import.meta.dirname, '..', 'bin.js');

test('an old Node version is refused before anything is loaded, and the message says how to get a supported version', async () => {
  const pretence =
    'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } });';
  const { code, stderr } = await new Promise<{ code: unknown; stderr: string }>((resolve) => {
    execFile(
      process.execPath,
      ['--import', `data:text/javascript,${encodeURIComponent(pretence)}`, BIN, '--version'],
      (error, _stdout, text) => resolve({ code: error?.code, stderr: text }),
    );
  });
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^signalbox needs Node 22\.22 or newer; this is 20\.20\.2\. .*npx --prefix CHECKOUT signalbox\n$/,
  );
});

test('the first process writes a code cache, which the next one uses', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'code-cache-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const start = (): Promise<unknown> =>
    promisify(execFile)(process.execPath, [BIN, '--version'], {
      env: { NODE_COMPILE_CACHE: folder },
    });
  const files = (): readonly (readonly [string, number])[] =>
    globSync(join(folder, '*/signalbox/command/*')).map((file) => [file, statSync(file).ino]);
  await start();
  const written = files();
  expect(written.length).toBeGreaterThan(2);
  await start();
  expect(files()).toEqual(written);
});

test('a code cache is kept in the temporary folder, unless other users can write to it', async () => {
  const temporary = mkdtempSync(join(tmpdir(), 'code-cache-'));
  onTestFinished(() => rmSync(temporary, { recursive: true, force: true }));
  const folder = join(temporary, 'node-compile-cache');
  const filesAfterStart = async (): Promise<number> => {
    await promisify(execFile)(process.execPath, [BIN, '--version'], {
      env: { TMPDIR: temporary, TEMP: temporary },
    });
    return globSync(join(folder, '**')).length;
  };
  expect(await filesAfterStart()).toBeGreaterThan(5);
  rmSync(folder, { recursive: true });
  mkdirSync(folder);
  chmodSync(folder, 0o777);
  expect(await filesAfterStart()).toBe(1);
});

test('the bundle contains request schemas and no response schemas', () => {
  const read = (pattern: string): readonly string[] =>
    globSync(join(import.meta.dirname, pattern)).map((file) => readFileSync(file, 'utf8'));
  const bundle = read('../bundle/*.js').join('\n');
  const isBundled = (id: string): boolean => bundle.includes(`{id:"${id}"`);
  const ids = read('http/*response-schemas.ts').flatMap((text) =>
    [...text.matchAll(/\bid: '(\w+)'/g)].map(([, id = '']) => id),
  );
  expect(ids.length).toBeGreaterThan(40);
  expect(['NewRun', 'NewSchedule'].filter((id) => !isBundled(id))).toEqual([]);
  expect(ids.filter(isBundled)).toEqual([]);
});
