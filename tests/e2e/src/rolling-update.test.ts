import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  hasPostgres,
  startPostgres,
  type PostgresEngine,
} from '../../peers/src/postgres-engine.ts';
import { ApiClient } from './support/client.ts';
import { writeScenario } from './support/scenario.ts';
import { startServiceProcess, temporaryFolder, type ServiceProcess } from './support/service.ts';

const laterVersion = fileURLToPath(new URL('support/later-version.ts', import.meta.url));

describe.skipIf(!hasPostgres)('processes of two versions on PostgreSQL', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let engine: PostgresEngine;
  let config: object;
  const processes: ServiceProcess[] = [];
  beforeAll(async () => {
    folder = await temporaryFolder();
    engine = await startPostgres();
    const scenario = await writeScenario(folder.path, [{ prompt: 'hi', steps: [], answer: 'ho' }]);
    config = { llm: { provider: 'scripted', scenario } };
  });
  afterAll(async () => {
    await Promise.all(processes.map((each) => each.stop()));
    await engine.close();
    await folder.remove();
  });

  /** Starts a process of this version, or of one with further migrations. */
  async function start(role: 'api' | 'worker', migrations?: string): Promise<ServiceProcess> {
    const started = await startServiceProcess({
      folder: folder.path,
      config,
      env: {
        DATABASE_URL: engine.url,
        ...(migrations === undefined ? {} : { LATER_MIGRATIONS: migrations }),
      },
      args: ['--role', role, ...(role === 'worker' ? ['--port', '0'] : [])],
      ...(migrations === undefined ? {} : { program: laterVersion }),
    });
    processes.push(started);
    return started;
  }

  test('accept and finish runs while the later one migrates the database, and after it', async () => {
    const [first] = await Promise.all([start('api'), start('worker')]);
    const old = new ApiClient(first.url);
    const accepted: Promise<string>[] = [];
    const state = { isUpdated: false };
    const finish = async (api: ApiClient): Promise<string> => {
      const { id } = await api.start('hi');
      return (await api.settled(id)).status;
    };
    const load = (async () => {
      do {
        accepted.push(finish(old));
        await accepted.at(-1);
      } while (!state.isUpdated);
    })();
    const second = await start('api', '0901-later.additive');
    state.isUpdated = true;
    await load;
    for (const api of [old, new ApiClient(second.url)]) accepted.push(finish(api), finish(api));
    expect(new Set(await Promise.all(accepted))).toEqual(new Set(['completed']));
    expect(processes.map((each) => each.log()).join('')).not.toContain('"level":"error"');
    await expect(start('worker', '0901-later.additive,0902-later')).rejects.toThrow(
      'must be brought up to date while no other process uses it (migration 0902-later)',
    );
  });
});
