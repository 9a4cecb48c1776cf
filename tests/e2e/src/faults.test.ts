import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ApiClient } from './support/client.ts';
import { runToEnd } from './support/command.ts';
import { writeScenario } from './support/scenario.ts';
import {
  startService,
  startServiceProcess,
  temporaryFolder,
  type Service,
} from './support/service.ts';

const askingServer = fileURLToPath(new URL('support/asking-server.ts', import.meta.url));

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let service: Service | undefined;
beforeEach(async () => {
  folder = await temporaryFolder();
  service = undefined;
});
afterEach(async () => {
  await service?.stop();
  await folder.remove();
});

const trusted = { trust: true, approval: 'auto' };
const asking = () => ({
  command: 'node',
  args: [askingServer, join(folder.path, 'ledger')],
  signalbox: trusted,
});

async function start(config: object, env: Record<string, string> = {}): Promise<ApiClient> {
  service = await startService({ folder: folder.path, config, env });
  return new ApiClient(service.url);
}

describe('servers that fail', () => {
  const scripts = [
    { prompt: 'look', steps: [[{ tool: 'asking__look' }]], answer: 'looked' },
    { prompt: 'look at the other', steps: [[{ tool: 'steady__look' }]], answer: 'looked' },
    { prompt: 'explode', steps: [[{ tool: 'asking__explode' }]], answer: 'unreachable' },
    { prompt: 'refuse', steps: [[{ tool: 'asking__refuse' }]], answer: 'unreachable' },
    { prompt: 'vanish', steps: [[{ tool: 'asking__vanish' }]], answer: 'unreachable' },
  ];

  test('missing, exiting and garbage-writing servers are reported with a remedy; the other servers and the runs continue', async () => {
    const garbage = join(folder.path, 'garbage.mjs');
    await writeFile(
      garbage,
      "process.stdout.write('hello, I am no MCP server\\n'.repeat(1000)); process.stdin.resume();",
    );
    const api = await start({
      llm: { provider: 'scripted', scenario: await writeScenario(folder.path, scripts) },
      mcpServers: {
        asking: asking(),
        missing: { command: 'no-such-program' },
        ending: {
          command: 'node',
          args: ['-e', "console.error('the licence has expired'); process.exit(3)"],
        },
        garbage: { command: 'node', args: [garbage] },
      },
    });
    const statuses = async () =>
      Object.fromEntries(
        (
          await api.get<{ data: { name: string; error?: string; state: string }[] }>('/v1/servers')
        ).data.map((each) => [each.name, each]),
      );
    expect(await api.settled((await api.start('look', { servers: ['asking'] })).id)).toMatchObject({
      status: 'completed',
      answer: 'looked',
    });
    await expect
      .poll(async () => (await statuses())['ending']?.error)
      .toContain('the licence has expired');
    expect((await statuses())['missing']?.error).toMatch(
      /no-such-program.*mcpServers\.missing\.command/s,
    );
    expect((await statuses())['asking']?.state).toBe('ready');
    expect((await statuses())['garbage']?.state).not.toBe('ready');
  });

  test('a tool that throws returns an error without internals to the model, and the run ends with an answer', async () => {
    const api = await start({
      llm: { provider: 'scripted', scenario: await writeScenario(folder.path, scripts) },
      mcpServers: { asking: asking() },
    });
    const run = await api.settled((await api.start('explode')).id);
    expect(run).toMatchObject({ status: 'completed' });
    expect(run.answer).toMatch(/^The tool asking__explode failed/);
    expect(JSON.stringify(await api.events(run.id))).not.toContain('internal detail');

    const refused = await api.settled((await api.start('refuse')).id);
    expect(refused.answer).toContain('the stock is empty; order first');
  });

  test('a server that exits during a read-only call is restarted and the call repeated; after a second failure the model gets the error', async () => {
    const api = await start({
      llm: { provider: 'scripted', scenario: await writeScenario(folder.path, scripts) },
      mcpServers: { asking: asking(), steady: asking() },
    });
    const { id } = await api.start('vanish');
    const other = await api.start('look at the other');
    const retried = await api.waitFor(id, (event) => event.type === 'tool_call.retrying');
    expect(retried.data).toMatchObject({ reason: 'connection_lost' });
    expect(await api.settled(other.id)).toMatchObject({ status: 'completed', answer: 'looked' });
    expect((await api.settled(id)).answer).toMatch(/^The tool asking__vanish failed/);
  });
});

/** A port that nobody listens on. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

describe('models that fail', () => {
  test('calls of an unreachable model are retried: the run shows the reason with the address and a remedy, and can be cancelled; the service continues', async () => {
    const address = `127.0.0.1:${await closedPort()}`;
    const api = await start(
      { llm: { provider: 'openai', base_url: `http://${address}/v1` } },
      { OPENAI_API_KEY: 'sk-secret-1234567890' },
    );
    const { id } = await api.start('hello');
    await expect
      .poll(async () => (await api.run(id))['status_reason'], { timeout: 15_000 })
      .toBe('model_unavailable');
    const waiting = await api.run(id);
    expect(JSON.stringify(waiting['model_outage'])).toContain(address);
    expect(JSON.stringify(waiting['model_outage'])).toMatch(/running\?/);
    await api.post(`/v1/runs/${id}/cancel`);
    const run = await api.settled(id);
    expect(run).toMatchObject({ status: 'cancelled' });
    expect(JSON.stringify([waiting, run, await api.events(id)])).not.toContain('sk-secret');
    expect(service?.log()).not.toContain('sk-secret');
    expect(await api.get('/healthz')).toMatchObject({ status: 'ok', provider: 'openai' });
  });
});

describe('invalid configurations', () => {
  async function failure(
    text: string,
    args: readonly string[] = [],
  ): Promise<{ code: number; error: string }> {
    const file = join(folder.path, 'signalbox.json');
    await writeFile(file, text);
    const { code, err: error } = await runToEnd(
      ['serve', '--config', file, '--port', '0', ...args],
      { folder: folder.path },
    );
    return { code, error };
  }

  test.each([
    ['not JSON', '{ "mcpServers": {], }', /signalbox\.json:1:18: not valid JSON/],
    ['an unknown field', '{ "mcp_servers": {} }', /mcp_servers.*mcpServers/s],
    [
      'a server without a command, with --strict',
      '{ "mcpServers": { "a": { "args": [] } } }',
      /mcpServers\.a: has neither "command"/,
      ['--strict'],
    ],
    [
      'a variable that is not set, with --strict',
      '{ "mcpServers": { "a": { "command": "${NOT_SET_ANYWHERE}" } } }',
      /mcpServers\.a\.command.*NOT_SET_ANYWHERE/s,
      ['--strict'],
    ],
    ['a host that others can reach, without a token', '{ "host": "0.0.0.0" }', /SIGNALBOX_TOKEN/],
    ['a provider without its key', '{ "llm": { "provider": "anthropic" } }', /ANTHROPIC_API_KEY/],
  ])('%s', async (_name, text, expected, args: readonly string[] = []) => {
    const { code, error } = await failure(text, args);
    expect(error).toMatch(expected);
    expect(error.trim().split('\n').length).toBeLessThanOrEqual(3);
    expect(code).toBe(2);
  });

  test('an unknown option, and a data directory in use by another process', async () => {
    expect(await failure('{}', ['--prot', '1'])).toMatchObject({
      code: 2,
      error: expect.stringContaining('--prot') as string,
    });
    await start({});
    await expect(startServiceProcess({ folder: folder.path, config: {} })).rejects.toThrow(
      /ended with 2: .*data/s,
    );
  });
});
