import { LocalError } from '@signalbox/mcp-core';
import { expect, test } from 'vitest';
import type { ServerConfig } from '../config/config.ts';
import { describeFailure } from './describe-failure.ts';

// Only these three fields are read.
const server = { name: 'a', command: 'node', cwd: undefined } as ServerConfig;

test('last words on stderr are told once, and stand for the last line', () => {
  const crash = new LocalError('connect-failed', "The server process exited with code 1; its last words on stderr: Error: Cannot find module '/nowhere.js'");
  expect(describeFailure(server, crash, 'Node.js v24.21.0')).toMatch(/^The server process exited with code 1; its last words on stderr: Error: Cannot find module '\/nowhere\.js': check that mcpServers\.a /);
});

test('an error without last words is told with the last line on stderr', () => {
  const silence = new LocalError('connect-failed', 'No answer to initialize came in 30 s.');
  expect(describeFailure(server, silence, 'waiting for a login')).toMatch(/^No answer to initialize came in 30 s; its last line on stderr: waiting for a login: check that /);
  expect(describeFailure(server, silence, undefined)).toMatch(/^No answer to initialize came in 30 s: check that /);
});
