import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ApiClient } from './support/client.ts';
import { startModelServer, type ModelServer } from './support/model-server.ts';
import { queryStored } from './support/stored.ts';
import {
  startService,
  startServiceProcess,
  temporaryFolder,
  type Service,
  type ServiceOptions,
} from './support/service.ts';

const askingServer = fileURLToPath(new URL('support/asking-server.ts', import.meta.url));

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let model: ModelServer;
let ledger: string;
const services: Service[] = [];
beforeEach(async () => {
  folder = await temporaryFolder();
  model = await startModelServer();
  ledger = join(folder.path, 'ledger');
});
afterEach(async () => {
  for (const service of services.splice(0)) await service.stop();
  await model.close();
  await folder.remove();
});

const options = (): ServiceOptions => ({
  folder: folder.path,
  env: { OPENAI_API_KEY: 'key-for-the-mock', OPENAI_BASE_URL: model.url },
  config: {
    llm: { provider: 'openai', model: 'the-model' },
    mcpServers: {
      asking: {
        command: 'node',
        args: [askingServer, ledger],
        signalbox: { trust: true, approval: 'auto', era: 'legacy' },
      },
    },
  },
});

const appended = (): string => (existsSync(ledger) ? readFileSync(ledger, 'utf8') : '');

/** Moves the stored time of the next attempt, as though the service had been away for the rest of the wait. */
async function moveNextAttempt(id: string, time: number): Promise<void> {
  const [row] = await queryStored<{ model_outage: string }>(
    folder.path,
    'select model_outage from runs where id = ?',
    [id],
  );
  const outage = JSON.parse(row?.model_outage ?? '') as object;
  await queryStored(folder.path, 'update runs set retry_at = ?, model_outage = ? where id = ?', [
    time,
    JSON.stringify({ ...outage, nextAttemptAt: time }),
    id,
  ]);
}

test('a service that is killed while a run waits for its model retries at the stored time, and repeats no tool call', async () => {
  model.say(
    { call: { name: 'asking__append_line', arguments: '{"text":"one"}' }, finish: 'tool_calls' },
    { status: 429, retryAfterS: 600 },
  );
  const killed = await startServiceProcess(options());
  services.push(killed);
  const before = new ApiClient(killed.url);
  const { id } = await before.start('append');
  const failed = await before.waitFor(id, ({ type }) => type === 'turn.failed');
  expect(failed.data).toMatchObject({ turn: 2, retryable: true, attempt: 1 });
  await killed.stop('SIGKILL');
  expect(model.requests).toHaveLength(2);
  const far = Date.now() + 3_600_000;
  await moveNextAttempt(id, far);

  model.say({ text: 'appended', finish: 'stop' });
  // On Redis the wait that the provider requested outlives the service, so each one has other keys.
  const { env, ...others } = options();
  const start = async (prefix: string): Promise<Service> => {
    const started = await startService({
      ...others,
      env: { ...env, SIGNALBOX_REDIS_PREFIX: prefix },
    });
    services.push(started);
    return started;
  };
  const waiting = await start('waiting');
  expect(await new ApiClient(waiting.url).run(id)).toMatchObject({
    status: 'running',
    status_reason: 'model_unavailable',
    model_outage: { attempts: 1, next_attempt_at: new Date(far).toISOString() },
  });
  await waiting.stop();
  expect(model.requests).toHaveLength(2);

  const nextAttemptAt = Date.now() + 2000;
  await moveNextAttempt(id, nextAttemptAt);
  const api = new ApiClient((await start('restarted')).url);
  expect(await api.settled(id)).toMatchObject({
    status: 'completed',
    answer: 'appended',
    turns: 2,
    tool_calls: 1,
  });

  const asked = (await api.events(id)).findLast(({ type }) => type === 'turn.started');
  expect(Date.parse(asked!.at)).toBeGreaterThanOrEqual(nextAttemptAt);
  expect(model.requests).toHaveLength(3);
  expect(appended()).toBe('one\n');
});
