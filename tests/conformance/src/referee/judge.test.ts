import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { judge } from './judge.ts';
import { readRequirementSet } from './requirement-set.ts';
import type { RunReferee } from './run-referee.ts';

const REVISION = '2025-11-25';
const SERVER = { leg: 'server', url: 'http://127.0.0.1:1/mcp' } as const;
const CLIENT = { leg: 'client', command: 'none' } as const;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'judge-'));
});

test('an official referee that cannot run fails every scenario', async () => {
  const { required, extra, problems } = await judge(
    { leg: 'server', url: 'nonsense' },
    REVISION,
    folder,
  );

  expect(required).toEqual({ passed: 0, total: 30 });
  expect(extra.passed).toBe(0);
  expect(problems).toHaveLength(34);
  expect(problems[0]).toBe('server-initialize\n  the referee could not run it');
  expect(problems[33]).toMatch(/^the referee is not content\n/);
});

describe('the count', () => {
  const all = (leg: 'server' | 'client'): readonly string[] => {
    const { scored, unscored } = readRequirementSet(REVISION, leg);
    return [...scored, ...unscored];
  };

  test('is complete when everything passes', async () => {
    const { required, extra, problems } = await judge(SERVER, REVISION, folder, {
      ask: saying({ passes: all('server') }),
    });
    expect(problems).toEqual([]);
    expect([required, extra]).toEqual([
      { passed: 30, total: 30 },
      { passed: 3, total: 3 },
    ]);
  });

  test('counts a warning, a scenario without a check and a missing one as failures', async () => {
    const passes = all('server').filter(
      (scenario) =>
        !['ping', 'tools-list', 'logging-set-level', 'resources-list'].includes(scenario),
    );
    const referee = saying({
      passes,
      warns: ['ping'],
      checksNothing: ['tools-list'],
      fails: ['resources-list'],
    });
    const { required, problems, repeated } = await judge(SERVER, REVISION, folder, {
      ask: referee,
    });
    expect(required.passed).toBe(26);
    expect(problems).toEqual([
      'logging-set-level\n  the referee could not run it',
      'ping\n  WARNING some-check: it is so',
      'tools-list\n  no check was made',
      'resources-list\n  FAILURE some-check: it is so',
    ]);
    expect(repeated).toEqual([]);
  });

  test('counts a client that reported an error as a failure, unless refusing may be the point', async () => {
    const passes = all('client');
    const referee = saying(
      { passes, complains: ['initialize', 'auth/resource-mismatch', 'auth/dpop'] },
      { passes, complains: ['initialize'] },
    );
    const { required, problems } = await judge(CLIENT, REVISION, folder, { ask: referee });
    expect(required.passed).toBe(17);
    expect(problems).toEqual(['initialize\n  the client said: I cannot']);
  });

  test('gives a few failures a second run, which decides', async () => {
    const passes = all('server').filter((scenario) => !['ping', 'tools-list'].includes(scenario));
    const referee = saying(
      {
        passes,
        fails: ['ping', 'tools-list'],
        isContent: false,
        output: unexpected('ping', 'tools-list'),
      },
      { passes: ['ping'], fails: ['tools-list'] },
    );
    const { required, problems, repeated } = await judge(SERVER, REVISION, folder, {
      ask: referee,
    });
    expect(repeated).toEqual(['ping', 'tools-list']);
    expect(problems).toEqual(['tools-list\n  FAILURE some-check: it is so']);
    expect(required.passed).toBe(29);
  });

  test.each([
    ['names a scenario that did not fail', unexpected('ping', 'tools-list')],
    ['names none', 'TypeError: cannot write the summary\n'],
  ])(
    'is not in order when the referee is not content and %s, though another scenario failed at first',
    async (_reason, output) => {
      const passes = all('server').filter((scenario) => scenario !== 'ping');
      const referee = saying(
        { passes, fails: ['ping'], isContent: false, output },
        { passes: ['ping'] },
      );
      const { required, problems, repeated } = await judge(SERVER, REVISION, folder, {
        ask: referee,
      });
      expect(repeated).toEqual(['ping']);
      expect(required.passed).toBe(30);
      expect(problems).toEqual([`the referee is not content\n${output.trimEnd()}`]);
    },
  );

  test('has a problem when a scenario is unknown, or the referee knows others', async () => {
    const stranger = await judge(SERVER, REVISION, folder, {
      ask: saying({ passes: [...all('server'), 'stranger'] }),
    });
    expect(stranger.problems).toEqual(['stranger\n  is in no requirement set']);
    const discontent = await judge(SERVER, REVISION, mkdtempSync(join(tmpdir(), 'judge-')), {
      ask: saying({ passes: all('server'), isContent: false }),
    });
    expect(discontent.problems).toEqual(['the referee is not content\nlast words']);
  });
});

interface Saying {
  readonly passes?: readonly string[];
  readonly fails?: readonly string[];
  readonly warns?: readonly string[];
  readonly checksNothing?: readonly string[];
  /** Clients among these that wrote to stderr. */
  readonly complains?: readonly string[];
  readonly isContent?: boolean;
  readonly output?: string;
}

/** Returns the end of the referee's output when scenarios fail unexpectedly. */
function unexpected(...scenarios: readonly string[]): string {
  const lines = scenarios.map((scenario) => `  ✗ ${scenario}\n`).join('');
  return `=== SUMMARY ===\n✗ ping: 1 passed, 1 failed\n\n\u001B[31mUnexpected failures (not in baseline):\u001B[0m\n${lines}`;
}

/** Creates a referee with scripted outcomes, and others for the second run of a scenario. */
function saying(first: Saying, second: Saying = {}): RunReferee {
  return ({ leg }, { scenario }, results) => {
    const {
      passes = [],
      fails = [],
      warns = [],
      checksNothing = [],
      complains = [],
      isContent = true,
      output = 'last words\n',
    } = scenario === undefined ? first : second;
    const below = join(results, scenario ?? 'all');
    const write = (name: string, statuses: readonly string[]): void => {
      if (scenario !== undefined && name !== scenario) return;
      const own = join(
        below,
        `${leg === 'server' ? 'server-' : ''}${name}-2026-11-21T00-00-00-000Z`,
      );
      mkdirSync(own, { recursive: true });
      if (leg === 'client')
        writeFileSync(join(own, 'stderr.txt'), complains.includes(name) ? 'I cannot\n' : '');
      writeFileSync(
        join(own, 'checks.json'),
        JSON.stringify(
          statuses.map((status) => ({ id: 'some-check', status, description: 'it is so' })),
        ),
      );
    };
    for (const name of passes) write(name, ['INFO', 'SUCCESS', 'SKIPPED']);
    for (const name of fails) write(name, ['SUCCESS', 'FAILURE']);
    for (const name of warns) write(name, ['WARNING']);
    for (const name of checksNothing) write(name, []);
    return Promise.resolve({ results: below, isContent, output });
  };
}
