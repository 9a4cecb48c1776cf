import { createTemporaryFolders } from '@signalbox/file-sandbox/testing';
import { createLogger } from '@signalbox/server-kit';
import { describe, expect, test } from 'vitest';
import { command } from './command.ts';

interface Outcome {
  /** The error of `start` for these options and arguments. */
  readonly problem: string;
  readonly lines: readonly string[];
}

async function start(
  values: { readonly [option: string]: string },
  ...positionals: readonly string[]
): Promise<Outcome> {
  const lines: string[] = [];
  const log = createLogger('warn', { write: (line) => lines.push(line) });
  try {
    const started = await command.start({ values, positionals, env: {}, log });
    await started.close?.();
    return { problem: 'none', lines };
  } catch (error) {
    return { problem: String(error), lines };
  }
}

describe('the command', () => {
  test('names every option in its help', () => {
    for (const option of Object.keys(command.options))
      expect(command.usage).toContain(`--${option} `);
  });

  test.each([
    [{}, ['/no/such/directory'], '/no/such/directory: no such directory'],
    [{ roots: 'ignore' }, [], 'no DIR was given, and --roots ignore leaves nothing to serve'],
    [{ roots: 'widen' }, ['/'], '--roots must be one of narrow, replace, ignore, not "widen"'],
    [
      { 'max-read-bytes': '5' },
      ['/'],
      '--max-read-bytes must be a whole number from 1024 to 1572864, not "5"',
    ],
    [
      { 'max-entries': 'x' },
      ['/'],
      '--max-entries must be a whole number from 1 to 10000, not "x"',
    ],
  ])('refuses %j %j', async (values, positionals, problem) => {
    expect((await start(values, ...positionals)).problem).toBe(`UsageError: ${problem}`);
  });

  test('warns of a directory that is missing while another is there', async () => {
    await using folders = await createTemporaryFolders();
    const { problem, lines } = await start({}, folders.root, '/no/such/directory');
    expect(problem).toBe('none');
    expect(lines).toEqual([
      expect.stringContaining('warn ignored directory /no/such/directory: no such directory'),
    ]);
  });

  test('starts without a directory, for the roots of its clients', async () => {
    expect(await start({})).toEqual({ problem: 'none', lines: [] });
  });
});
