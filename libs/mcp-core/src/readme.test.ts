import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const run = promisify(execFile);
const nodeModules = fileURLToPath(new URL('../../../node_modules', import.meta.url));
const sourceCondition = '--conditions=@signalbox/source';
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'readme-'));
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  const examples = [...readme.matchAll(/^```ts\n(.*?)^```$/gmsu)].map((match) => match[1] ?? '');
  const [server = '', host = '', handler = '', http = '', bothEras = ''] = examples;
  const compilerOptions = {
    noEmit: true,
    strict: true,
    module: 'nodenext',
    target: 'es2024',
    types: ['node'],
    customConditions: ['@signalbox/source'],
    allowImportingTsExtensions: true,
    skipLibCheck: true,
  };
  const files = {
    ...Object.fromEntries(
      examples.map((example, index) => [`example-${String(index)}.ts`, example]),
    ),
    'package.json': JSON.stringify({ type: 'module' }),
    'tsconfig.json': JSON.stringify({ compilerOptions, include: ['*.ts'] }),
    'calculator.js': server,
    'handler.ts': handler,
    'http.ts': http,
    'both-eras.ts': bothEras,
    'host.ts': host.replace("['calculator.js']", `['${sourceCondition}', 'calculator.js']`),
  };
  await Promise.all([
    symlink(nodeModules, path.join(folder, 'node_modules')),
    ...Object.entries(files).map(([name, text]) => writeFile(path.join(folder, name), text)),
  ]);
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

async function outputOf(file: string): Promise<string> {
  return (await run(process.execPath, [sourceCondition, file], { cwd: folder })).stdout;
}

describe('the examples of the README', () => {
  test('compile unchanged', async () => {
    const checked = await run(process.execPath, [
      path.join(nodeModules, '.bin/tsc'),
      '-p',
      folder,
    ]).catch((error: unknown) => error as { stdout: string });
    expect(checked.stdout).toBe('');
  });

  test('run: the host calls the server', async () => {
    expect(await outputOf('host.ts')).toBe('{"quotient":0.25}\n');
  });

  test('run: the handler reports its progress', async () => {
    expect(await outputOf('handler.ts')).toBe('[{"progress":1}]\n');
  });

  test('run: the host reads over HTTP', async () => {
    const letter = { uri: 'letter://7', text: 'Letter 7' };
    expect(JSON.parse(await outputOf('http.ts'))).toMatchObject([
      { type: 'text', text: 'Write a formal reply.' },
      letter,
    ]);
  });

  test('run: a tool with input requests behaves alike in both eras', async () => {
    expect(await outputOf('both-eras.ts')).toBe('[{"sent":1},["1970-01-01T00:00:00.000Z"]]\n');
  });
});
