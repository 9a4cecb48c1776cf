import { expect, onTestFinished, test } from 'vitest';
import type { TestHooks } from '@signalbox/agent';
import { ApiClient, type Json, type RunView } from './support/client.ts';
import { writeScenario } from './support/scenario.ts';
import { startService, temporaryFolder } from './support/service.ts';

const MINUTE = 60_000;

interface ScheduleView extends Json {
  readonly id: string;
  readonly next_at: string;
}

test('a scheduled run is started within 2 seconds of its time, also when the time passed before the start of the service', async () => {
  const folder = await temporaryFolder();
  onTestFinished(() => folder.remove());
  const scenario = await writeScenario(folder.path, [{ prompt: 'go', steps: [], answer: 'done' }]);
  let offset = 0;
  const clock: NonNullable<TestHooks['clock']> = (system) => ({
    now: () => system.now() + offset,
    after: (ms, callback) => system.after(ms, callback),
  });
  const options = {
    folder: folder.path,
    config: { llm: { provider: 'scripted', scenario } },
    hooks: { clock },
  };
  const first = await startService(options);
  const api = new ApiClient(first.url);
  const schedule = await api.post<ScheduleView>('/v1/schedules', {
    cron: '*/10 * * * *',
    run: { prompt: 'go' },
  });
  const runs = async (client: ApiClient): Promise<readonly RunView[]> =>
    (
      await client.get<{ readonly data: readonly RunView[] }>(
        `/v1/runs?metadata.schedule_id=${schedule.id}&status=completed`,
      )
    ).data;
  expect(await runs(api)).toEqual([]);
  offset = Date.parse(schedule.next_at) - Date.now();
  await expect.poll(() => runs(api), { interval: 20, timeout: 10_000 }).toHaveLength(1);
  await first.stop();

  offset += 35 * MINUTE;
  const second = await startService(options);
  onTestFinished(() => second.stop());
  const again = new ApiClient(second.url);
  await expect.poll(() => runs(again), { interval: 20, timeout: 10_000 }).toHaveLength(2);
  const scheduledAt = (await runs(again)).map(
    ({ metadata }) => (metadata as { readonly scheduled_at: string }).scheduled_at,
  );
  const caughtUp = new Date(Date.parse(schedule.next_at) + 10 * MINUTE).toISOString();
  expect(scheduledAt.toSorted()).toEqual([schedule.next_at, caughtUp]);
  expect(await again.get<ScheduleView>(`/v1/schedules/${schedule.id}`)).toMatchObject({
    next_at: new Date(Date.parse(schedule.next_at) + 40 * MINUTE).toISOString(),
    last_run: { outcome: 'started', scheduled_at: caughtUp },
  });
});
