import { LocalError, ProtocolError } from '@signalbox/mcp-core';
import { expect, test } from 'vitest';
import type { ServerConfig } from '../config/config.ts';
import { describeFailure, ToolsNotListedError } from './describe-failure.ts';

// Only these three fields are read.
const server = { name: 'a', command: 'node', cwd: undefined } as ServerConfig;

test('the stderr of an ended process is reported once', () => {
  const crash = new LocalError(
    'connect-failed',
    "The server process exited with code 1; on stderr: Error: Cannot find module '/nowhere.js'",
  );
  expect(describeFailure(server, crash, ['Error: other'])).toMatch(
    /^The server process exited with code 1; on stderr: Error: Cannot find module '\/nowhere\.js': check that mcpServers\.a /,
  );
});

test('a failure of a running process is reported with the error lines of its stderr', () => {
  const silence = new LocalError('connect-failed', 'No answer to initialize came in 30 s.');
  const stderr = [
    'Error: connect ECONNREFUSED 127.0.0.1:1',
    '    at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1637:16) {',
    '  errno: -111',
    '}',
  ];
  expect(describeFailure(server, silence, stderr)).toMatch(
    /^No answer to initialize came in 30 s; on stderr: Error: connect ECONNREFUSED 127\.0\.0\.1:1 \| errno: -111: check that /,
  );
  expect(describeFailure(server, silence, [])).toMatch(
    /^No answer to initialize came in 30 s: check that /,
  );
});

test('the message for a server that started but did not list its tools does not deny that it is an MCP server', () => {
  const refused = new ToolsNotListedError(new ProtocolError(-32603, 'fetch failed'));
  expect(describeFailure(server, refused, ['Error: getaddrinfo ENOTFOUND api.example'])).toBe(
    'the server started, but its tools could not be listed: fetch failed; on stderr: Error: getaddrinfo ENOTFOUND api.example; check its env and its network, then POST /v1/servers/a/reconnect',
  );
});
