import { expect, test } from 'vitest';
import { loadConfig, type LoadedConfig } from './load-config.ts';

function load(signalbox: object): Promise<LoadedConfig> {
  const file = JSON.stringify({ mcpServers: { files: { command: 'node', signalbox } } });
  return loadConfig({
    flags: { config: '/etc/signalbox.json', isStrict: true },
    env: {},
    cwd: '/folder',
    homeDir: '/home/ann',
    readFile: () => Promise.resolve(file),
  });
}

test('approval rules keep their order; the sampling settings of a server are read beside them', async () => {
  const approvals = [
    { tools: 'read_*', policy: 'auto' },
    { tools: '*', policy: 'ask' },
  ];
  const { servers } = await load({
    approvals,
    sampling: 'auto',
    samplingReview: true,
    callsPerMinute: 30,
    maxMessageBytes: 8_000_000,
  });
  expect(servers).toMatchObject([
    {
      approvals,
      sampling: 'auto',
      samplingReview: true,
      callsPerMinute: 30,
      maxMessageBytes: 8_000_000,
      approval: 'default',
    },
  ]);
});

test.each<[object, RegExp]>([
  [{ approvals: { '*': 'auto' } }, /mcpServers\.files\.signalbox\.approvals: must be/],
  [
    { approvals: [{ tools: '', policy: 'auto' }] },
    /mcpServers\.files\.signalbox\.approvals\[0\]\.tools/,
  ],
  [{ approvals: [{ tools: '*' }] }, /mcpServers\.files\.signalbox\.approvals\[0\]\.policy/],
  [
    { approvals: [{ tools: '*', policy: 'allow' }] },
    /mcpServers\.files\.signalbox\.approvals\[0\]\.policy: must be "auto", "ask" or "deny"/,
  ],
  [{ approvals: [{ tools: '*', policy: 'auto', when: 'always' }] }, /when/],
  [{ callsPerMinute: 0 }, /mcpServers\.files\.signalbox\.callsPerMinute: /],
  [{ maxMessageBytes: 1 }, /mcpServers\.files\.signalbox\.maxMessageBytes: /],
  [{ samplingReview: 'yes' }, /mcpServers\.files\.signalbox\.samplingReview: must be/],
])('%j is refused with its path in the file', async (signalbox, message) => {
  await expect(load(signalbox)).rejects.toThrow(message);
});
