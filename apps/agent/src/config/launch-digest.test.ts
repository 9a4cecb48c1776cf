import { expect, test } from 'vitest';
import type { StdioServerConfig } from './config.ts';
import { launchDigest } from './launch-digest.ts';

const server: StdioServerConfig = {
  name: 'files',
  command: 'node',
  args: ['server.js'],
  env: { TOKEN: 'a' },
  cwd: undefined,
  trust: false,
  allow: [],
  deny: [],
  roots: ['/a'],
  era: 'auto',
  approval: 'default',
  sampling: 'ask',
};

test.each<Partial<StdioServerConfig>>([
  { command: 'deno' },
  { args: ['server.js', '--all'] },
  { env: { TOKEN: 'b' } },
  { cwd: '/b' },
  { roots: ['/'] },
  { era: 'legacy' },
])('%j has a different digest', (change) => {
  expect(launchDigest({ ...server, ...change })).not.toBe(launchDigest(server));
});

test.each<Partial<StdioServerConfig>>([
  { trust: true },
  { allow: ['x'] },
  { approvals: [{ tools: '*', policy: 'auto' }] },
  { sampling: 'deny' },
  { callsPerMinute: 5 },
  { secrets: ['a'] },
])('%j is a change of policy and has the same digest', (change) => {
  expect(launchDigest({ ...server, ...change })).toBe(launchDigest(server));
});

test('the digest reveals nothing about the environment', () => {
  expect(launchDigest({ ...server, env: { TOKEN: 'very secret' } })).toMatch(/^[0-9a-f]{64}$/);
});
