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

test('times that passed while the service was not running start one run at its start', async () => {
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
  await first.stop();

  offset = Date.parse(schedule.next_at) - Date.now() + 35 * MINUTE;
  const second = await startService(options);
  onTestFinished(() => second.stop());
  const again = new ApiClient(second.url);
  const runs = async (): Promise<readonly RunView[]> =>
    (
      await again.get<{ readonly data: readonly RunView[] }>(
        `/v1/runs?metadata.schedule_id=${schedule.id}&status=completed`,
      )
    ).data;
  await expect.poll(runs, { interval: 50, timeout: 10_000 }).toHaveLength(1);
  expect((await runs())[0]).toMatchObject({ metadata: { scheduled_at: schedule.next_at } });
  expect(await again.get<ScheduleView>(`/v1/schedules/${schedule.id}`)).toMatchObject({
    next_at: new Date(Date.parse(schedule.next_at) + 40 * MINUTE).toISOString(),
    last_run: { outcome: 'started', scheduled_at: schedule.next_at },
  });
});
