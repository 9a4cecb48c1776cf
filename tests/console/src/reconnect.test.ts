import { createClient, paginate, unwrap, type RunEvent } from '@signalbox/client';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { startModelServer, type ModelServer } from './support/model-server.ts';
import { openPage } from './support/open-page.ts';
import { SHOW_SERVER, startService, type Service } from './support/service.ts';

/** Failed requests while the service is down, which the browser logs. */
const expected = /net::ERR_|status of 503/;
const TEXT = 'I will look at the picture.';
const ANSWER = 'It is a lighthouse.';

describe.skipIf(inject('browser') === undefined)(
  'a service that is killed and started again',
  () => {
    let model: ModelServer;
    let service: Service;
    beforeAll(async () => {
      model = await startModelServer();
      service = await startService({
        isDemo: false,
        config: {
          llm: { provider: 'openai', base_url: model.url, model: 'model-a' },
          mcpServers: {
            show: { command: 'node', args: [SHOW_SERVER], signalbox: { trust: true } },
          },
        },
      });
      return async () => {
        await service.stop();
        await model.stop();
      };
    });

    test('is found again by the pages, which show every event once', async () => {
      const secondTurn = Promise.withResolvers<void>();
      model.respond = async ({ messages }, reply) => {
        if (messages.some(({ role }) => role === 'tool')) {
          await secondTurn.promise;
          reply.text(ANSWER);
        } else {
          reply.text(TEXT);
          reply.call('show__picture', {});
        }
      };
      const { api, runs } = createClient({ baseUrl: service.url });
      const thread = await unwrap(api.POST('/v1/threads', { body: { title: 'Survivor' } }));
      const { id } = await runs.create({
        prompt: 'What does the picture show?',
        thread_id: thread.id,
      });
      const [run, chat, list] = await Promise.all([
        openPage(`/runs/${id}`, { service: service.url, expected }),
        openPage(`/threads/${thread.id}`, { service: service.url, expected }),
        openPage('/runs', { service: service.url, expected }),
      ]);
      // The files of a page that is still loading could not be found while the service is down.
      await Promise.all([
        run.getByText(TEXT).waitFor(),
        chat.getByText(TEXT).waitFor(),
        list.getByText('What does the picture show?').first().waitFor(),
      ]);

      const isSecondTurn = () =>
        model.requests.some(({ messages }) => messages.some(({ role }) => role === 'tool'));
      await expect.poll(isSecondTurn, { timeout: 30_000 }).toBe(true);
      await service.kill('SIGKILL');
      secondTurn.resolve();
      await service.restart();

      expect((await runs.wait(id)).status).toBe('completed');
      await Promise.all([
        run.getByText(ANSWER).first().waitFor(),
        chat.getByText(ANSWER).waitFor(),
        list.getByText('Completed').first().waitFor(),
      ]);
      // Neither page was loaded again, and the texts before the kill are there once.
      expect(await chat.getByText(TEXT).count()).toBe(1);
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
