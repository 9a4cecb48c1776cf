import { expect, test } from 'vitest';
import { parseArguments } from './arguments.ts';

test.each([[['run']], [['run', '']], [['run', ' \t\n']]])('%j has no task, so nothing is run', (argv) => {
  expect(() => parseArguments(argv)).toThrow(/^run needs the task/);
});

test('a task of several words must be quoted', () => {
  expect(() => parseArguments(['run', 'two', 'words'])).toThrow(/^run takes one task; put it in quotes/);
  expect(parseArguments(['run', ' two words ', '--demo'])).toMatchObject({ command: 'run', prompt: ' two words ', isDemo: true });
});

test('the other commands take no task', () => {
  expect(() => parseArguments(['serve', 'x'])).toThrow(/^serve takes no "x"/);
});

test.each([[['serve', '--server', 'a'], /^--server is for run; serve/], [['demo', '--json'], /^--json is for run; demo/]])('%j is refused, not ignored', (argv, message) => {
  expect(() => parseArguments(argv)).toThrow(message);
});

test('help is asked for in either spelling, alone or with a command', () => {
  for (const argv of [['-h'], ['--help'], ['run', '-h'], ['serve', '--json', '--help']]) expect(parseArguments(argv).command).toBe('help');
});
