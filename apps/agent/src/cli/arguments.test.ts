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
