import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ConfigError } from '../../config/config.ts';
import { loadScenarios, parseScenarios } from './load-scenarios.ts';

const scenario = {
  name: 'one',
  title: 'One',
  prompt: 'say one',
  turns: [{ when: { lastUser: 'one' }, emit: [{ text: 'One.' }] }],
};

function file(text: string): string {
  const name = path.join(mkdtempSync(path.join(tmpdir(), 'scenario-')), 'demo.json');
  writeFileSync(name, text);
  return name;
}

function problem(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error('nothing was refused');
}

test('a valid file is loaded with its defaults', () => {
  const [loaded] = loadScenarios(file(JSON.stringify({ version: 1, scenarios: [scenario] })));
  expect(loaded?.turns[0]?.when).toEqual({ lastUser: 'one', toolError: false, purpose: 'agent' });
});

test('a missing file, or a file that is not JSON, is an error with its name', () => {
  expect(problem(() => loadScenarios('/nonexistent/x.json'))).toMatch(
    /scenario file \/nonexistent\/x\.json cannot be read: .*ENOENT/,
  );
  const broken = file('{"version": 1,');
  expect(problem(() => loadScenarios(broken))).toContain(`${broken} is not JSON`);
});

test.each<[string, unknown, string]>([
  ['a wrong version', { version: 2, scenarios: [scenario] }, 'version: '],
  [
    'an empty title',
    { version: 1, scenarios: [{ ...scenario, title: '' }] },
    'scenarios[0].title: must not be empty',
  ],
  [
    'an unknown condition',
    { version: 1, scenarios: [{ ...scenario, turns: [{ when: { lastUsr: 'x' } }] }] },
    'scenarios[0].turns[0].when: Unrecognized key: "lastUsr"',
  ],
  [
    'a bad regular expression',
    { version: 1, scenarios: [{ ...scenario, turns: [{ when: { lastUser: '(' } }] }] },
    'scenarios[0].turns[0].when.lastUser: Invalid regular expression',
  ],
  [
    'a bad template',
    { version: 1, scenarios: [{ ...scenario, turns: [{ emit: [{ text: 'x ${1 + 1}' }] }] }] },
    'scenarios[0].turns[0].emit[0].text: cannot read ${1 + 1}',
  ],
  [
    'a bad template deep in tool input',
    {
      version: 1,
      scenarios: [
        { ...scenario, turns: [{ emit: [{ tool: 'a__b', input: { list: [{ x: '${nope}' }] } }] }] },
      ],
    },
    'cannot read ${nope}',
  ],
  [
    'a tool that is no wire name',
    { version: 1, scenarios: [{ ...scenario, turns: [{ emit: [{ tool: 'a.b' }] }] }] },
    'scenarios[0].turns[0].emit[0].tool: must be a wire name',
  ],
  [
    'a result of a call that no turn makes',
    {
      version: 1,
      scenarios: [{ ...scenario, turns: [{ emit: [{ text: '${result.typo.text}' }] }] }],
    },
    'scenarios[0].turns[0]: no call of the scenario has the wire name or label "typo"',
  ],
  [
    'the same name twice',
    { version: 1, scenarios: [scenario, scenario] },
    'scenarios[1].name: "one" is taken',
  ],
  ['no scenario', { version: 1, scenarios: [] }, 'scenarios: '],
])('%s is refused with its path', (_, contents, expected) => {
  const message = problem(() => parseScenarios(contents, 'my.json'));
  expect(message).toContain('the scenario file my.json cannot be used');
  expect(message).toContain(expected);
});
