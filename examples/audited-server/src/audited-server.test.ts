import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ProtocolError } from '@signalbox/mcp-core';
import { connectInMemory } from '@signalbox/mcp-core/testing';
import { expect, onTestFinished, test } from 'vitest';
import { createNotesServer } from './notes-server.ts';
import { QUOTA_EXCEEDED } from './quota.ts';

const eras = ['modern', 'legacy'] as const;

async function connect(era: 'modern' | 'legacy', requests: number) {
  const client = await connectInMemory(createNotesServer({ requests, entries: 3 }), {
    info: { name: 'test', version: '1' },
    era,
    handlers: { elicit: () => Promise.resolve({ action: 'accept', content: {} }) },
  });
  onTestFinished(() => client.close());
  return client;
}

test.each(eras)('the quota also covers prompts and resources, %s', async (era) => {
  const client = await connect(era, 1);
  await client.getPrompt('summarize');
  const refused = {
    code: QUOTA_EXCEEDED,
    data: { requests: 1 },
  };
  await expect(client.getPrompt('summarize')).rejects.toMatchObject(refused);
  await expect(client.readResource('notes://all')).rejects.toMatchObject(refused);
  expect(await client.callTool('add_note', { text: 'x' })).toMatchObject({ isError: true });
});

test.each(eras)('a call that asks the user counts once, %s', async (era) => {
  const client = await connect(era, 1);
  expect(await client.callTool('add_note', { text: 'x' })).not.toHaveProperty('isError');
  expect(await client.callTool('add_note', { text: 'x' })).toMatchObject({ isError: true });
});

test.each(eras)('the audit keeps its last entries, and can be read, %s', async (era) => {
  const client = await connect(era, 9);
  expect(client.server.capabilities.extensions).toMatchObject({ 'com.acme/audit': { entries: 3 } });
  for (let n = 0; n < 5; n += 1) await client.request('acme/audit');
  await client.callTool('no_such_tool', {}).catch(() => undefined);
  const entry = { caller: 'local', method: 'acme/audit', outcome: 'ok' };
  expect(await client.request('acme/audit')).toMatchObject({
    entries: [
      entry,
      entry,
      { caller: 'local', method: 'tools/call', target: 'no_such_tool', outcome: 'failed' },
    ],
  });
  await expect(client.request('acme/audit', { last: 0 })).rejects.toThrow(ProtocolError);
});

test('npm start prints the output of the README: one quota for each caller, over stdio and HTTP', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    join(import.meta.dirname, 'main.ts'),
  ]);
  const readme = await readFile(join(import.meta.dirname, '../README.md'), 'utf8');
  expect(readme).toContain(`\`\`\`\n${stdout}\`\`\`\n`);
});
