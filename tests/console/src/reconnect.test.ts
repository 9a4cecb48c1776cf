import { createClient, paginate, unwrap, type RunEvent } from '@signalbox/client';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { openPage } from './support/open-page.ts';
import { startService, type Service } from './support/service.ts';

/** Failed requests while the service is down, which the browser logs. */
const expected = /ERR_CONNECTION|ERR_INCOMPLETE|ERR_EMPTY|ERR_ABORTED|status of 503/;
const PROMPT = 'Which packages are in this workspace and which has the most source files?';

describe.skipIf(inject('browser') === undefined)(
  'a service that is killed and started again',
  () => {
    let service: Service;
    beforeAll(async () => {
      service = await startService({ config: { mcpServers: {} } });
      return () => service.stop();
    });

    test('is found again by the pages, which show every event once', async () => {
      const { api, runs } = createClient({ baseUrl: service.url });
      const thread = await unwrap(api.POST('/v1/threads', { body: { title: 'Survivor' } }));
      const { id } = await runs.create({ prompt: PROMPT, thread_id: thread.id });
      const [run, chat, list] = await Promise.all([
        openPage(`/runs/${id}`, { service: service.url, expected }),
        openPage(`/threads/${thread.id}`, { service: service.url, expected }),
        openPage('/runs', { service: service.url, expected }),
      ]);
      const text = 'I will look for the packages and count their source files.';
      await Promise.all([run.getByText(text).waitFor(), chat.getByText(text).waitFor()]);

      const killedAt = Date.now();
      await service.kill('SIGKILL');
      await service.restart();

      const settled = await runs.wait(id);
      expect(settled.status).toBe('completed');
      expect(Date.parse(settled.finished_at ?? '')).toBeGreaterThan(killedAt);
      const answer = 'The most source files are in';
      await Promise.all([
        run.getByText(answer).first().waitFor(),
        chat.getByText(answer).waitFor(),
        list.getByText('Completed').first().waitFor(),
      ]);
      // Neither page was loaded again, and the texts before the kill are there once.
      expect(await chat.getByText(text).count()).toBe(1);
      const events: RunEvent[] = [];
      const pages = paginate(
        (at) =>
          unwrap(
            api.GET('/v1/runs/{id}/events', {
              params: { path: { id }, query: { limit: 1000, ...at } },
            }),
          ) as Promise<{ data: RunEvent[]; next_cursor?: string }>,
      );
      for await (const event of pages) events.push(event);
      await run.getByRole('tab', { name: `Events ${events.length}` }).click();
      const rows = run.locator('.event');
      await rows.first().waitFor();
      const shown = await rows.allInnerTexts();
      for (const [index, row] of shown.entries()) expect(row).toContain(events[index]?.type);
    });
  },
);
