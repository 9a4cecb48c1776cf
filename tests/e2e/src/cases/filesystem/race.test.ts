import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { readFile, realpath } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { eras, inFull } from '../stdio-peer.test.support.ts';
import { createFixture, type Fixture } from './fixture.test.support.ts';

/** Restores the files after an attack, which may have ended in the middle of a swap. */
function restore(files: Fixture): void {
  if (existsSync(files.at('kept'))) {
    rmSync(files.at('d'), { force: true });
    renameSync(files.at('kept'), files.at('d'));
  }
  rmSync(files.at('link'), { force: true });
  symlinkSync(files.outside, files.at('link'));
}

/** Runs `body` while a process repeatedly swaps `d` with a link to the outside. */
async function underAttack(files: Fixture, body: () => Promise<void>): Promise<void> {
  restore(files);
  const source = `
    const { renameSync } = require('node:fs');
    process.chdir(process.argv[1]);
    process.stdout.write('swapping');
    const parent = process.ppid;
    while (process.ppid === parent) {
      renameSync('d', 'kept'); renameSync('link', 'd');
      renameSync('d', 'link'); renameSync('kept', 'd');
    }`;
  const child = spawn(process.execPath, ['-e', source, files.root], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  try {
    await body();
  } finally {
    const closed = once(child, 'close');
    child.kill('SIGKILL');
    await closed;
  }
}

/** Whether the attack leads a reader outside that checks a path and then opens it. */
async function isBrokenByAttack(files: Fixture): Promise<boolean> {
  const leaks: string[] = [];
  await underAttack(files, async () => {
    const deadline = performance.now() + 90_000;
    const read = async () => {
      const found = await realpath(files.at('d/x.txt')).catch(() => '');
      if (!found.startsWith(`${files.root}/`)) return;
      const text = await readFile(files.at('d/x.txt'), 'utf8').catch(() => '');
      if (text === 'OUTSIDE-SECRET') leaks.push(text);
    };
    while (leaks.length === 0 && performance.now() < deadline)
      await Promise.all(Array.from({ length: 60 }, read));
  });
  return leaks.length > 0;
}

describe.runIf(process.platform === 'linux').each(eras)('a %s client', (era) => {
  test('FS-07 reads nothing outside while a directory is swapped with a link', async () => {
    await using files = await createFixture({ 'd/x.txt': 'inside' }, { 'x.txt': 'OUTSIDE-SECRET' });
    const peer = await files.serve(era);
    const outcomes: string[] = [];
    await underAttack(files, async () => {
      const end = performance.now() + (inFull ? 20_000 : 0);
      for (let round = 0; round < 25 || performance.now() < end; round++) {
        const reads = Array.from({ length: 60 }, () =>
          peer.call('read_text_file', { path: files.at('d/x.txt') }),
        );
        outcomes.push(...(await Promise.all(reads)).map((outcome) => JSON.stringify(outcome)));
      }
    });
    expect(outcomes.filter((outcome) => outcome.includes('OUTSIDE-SECRET'))).toEqual([]);
    expect(
      outcomes.filter((outcome) => outcome.includes('"text":"inside"')).length,
    ).toBeGreaterThan(0);
  });

  test('FS-08 writes nothing outside while a directory is swapped with a link', async () => {
    await using files = await createFixture({ 'd/x.txt': 'inside' });
    mkdirSync(files.outside, { recursive: true });
    writeFileSync(`${files.outside}/x.txt`, 'untouched');
    const peer = await files.serve(era);
    let written = 0;
    await underAttack(files, async () => {
      // On a loaded machine all calls of a round may meet a swap.
      for (let round = 0; round < 20 || (written === 0 && round < 1000); round++) {
        const write = (index: number) =>
          peer.call('write_file', {
            path: files.at(`d/${index % 2 === 0 ? 'x.txt' : `new-${round}-${index}.txt`}`),
            content: 'written',
          });
        const outcomes = await Promise.all(Array.from({ length: 20 }, (_, index) => write(index)));
        written += outcomes.filter(({ isError }) => !isError).length;
      }
    });
    expect(readdirSync(files.outside)).toEqual(['x.txt']);
    expect(readFileSync(`${files.outside}/x.txt`, 'utf8')).toBe('untouched');
    expect(written).toBeGreaterThan(0);
  });
});

test.runIf(process.platform === 'linux')(
  'FS-07 control: the same attack leads a reader outside that checks a path and then opens it',
  async () => {
    await using files = await createFixture({ 'd/x.txt': 'inside' }, { 'x.txt': 'OUTSIDE-SECRET' });
    expect(await isBrokenByAttack(files)).toBe(true);
  },
);
