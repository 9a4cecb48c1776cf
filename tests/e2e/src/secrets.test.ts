import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startServiceProcess, temporaryFolder } from './support/service.ts';
import { storedTexts } from './support/stored.ts';

const SECRETS = {
  ANTHROPIC_API_KEY: 'sk-ant-a-key-of-the-test',
  OPENAI_API_KEY: 'sk-another-key-of-the-test',
  SIGNALBOX_TOKEN: 'the-token-of-the-test',
  OF_THE_SERVER: 'what-only-the-server-knows',
};

/** A provider that refuses every key and says which one it was given. Returns its base URL. */
async function startRefusingProvider(): Promise<string> {
  const provider = createServer((request, response) => {
    request.resume();
    response.writeHead(401, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({
        type: 'error',
        error: {
          type: 'authentication_error',
          message: `invalid key ${String(request.headers['x-api-key'])}`,
        },
      }),
    );
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    provider.close();
    provider.closeAllConnections();
  });
  await once(provider, 'listening');
  return `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
}

test('the keys of the model providers and the token are in no response, event, log line or file', async () => {
  const folder = await temporaryFolder();
  onTestFinished(() => folder.remove());
  const service = await startServiceProcess({
    folder: folder.path,
    env: SECRETS,
    config: {
      llm: { provider: 'anthropic', base_url: await startRefusingProvider() },
      mcpServers: {
        noisy: {
          command: 'node',
          args: ['-e', 'console.error(process.env.KEY); process.exit(1)'],
          env: { KEY: '${OF_THE_SERVER}' },
        },
      },
    },
  });
  onTestFinished(() => service.stop());
  const headers = {
    authorization: `Bearer ${SECRETS.SIGNALBOX_TOKEN}`,
    'content-type': 'application/json',
  };
  const get = async (path: string): Promise<string> =>
    (await fetch(`${service.url}${path}`, { headers })).text();
  await expect.poll(() => get('/v1/servers/noisy')).toContain('"state":"failed"');
  const started = await fetch(`${service.url}/v1/runs`, {
    method: 'POST',
    headers: { ...headers, accept: 'text/event-stream' },
    body: '{"prompt":"hello"}',
  });
  const told = [
    await started.text(),
    ...(await Promise.all(
      [
        '/v1/runs',
        '/v1/servers',
        '/v1/audit',
        '/v1/tools',
        '/openapi.json',
        '/metrics',
        '/nothing',
        '/v1/runs/none',
      ].map(get),
    )),
  ];
  expect(told[0]).toContain('event: run.failed');
  await service.stop();
  const data = join(folder.path, 'data');
  const files = existsSync(data)
    ? readdirSync(data, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    : [];
  const stored = [...files, ...(await storedTexts(folder.path))];
  expect(stored.join('')).toContain('run.failed');
  expect(service.log()).toContain('noisy');
  for (const secret of Object.values(SECRETS))
    expect([...told, ...stored, service.log()].filter((text) => text.includes(secret))).toEqual([]);
});
