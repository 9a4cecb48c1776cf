/// <reference lib="dom" />
import { createClient, unwrap } from '@signalbox/client';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { accessibilityProblems } from '../../peers/src/axe.ts';
import { startModelServer, type ModelServer } from './support/model-server.ts';
import { openPage } from './support/open-page.ts';
import { startProtectedServer, type ProtectedServer } from './support/protected-server.ts';
import { ASK_SERVER, SHOW_SERVER, startService, type Service } from './support/service.ts';

describe.skipIf(inject('browser') === undefined)('with a model and servers of its own', () => {
  let model: ModelServer;
  let mail: ProtectedServer;
  let service: Service;
  beforeAll(async () => {
    [model, mail] = await Promise.all([startModelServer(), startProtectedServer()]);
    service = await startService({
      isDemo: false,
      config: {
        llm: { provider: 'openai', base_url: model.url, model: 'model-a' },
        mcpServers: {
          ask: {
            command: 'node',
            args: [ASK_SERVER],
            signalbox: { approval: 'auto', samplingReview: true },
          },
          mail: { url: mail.url },
          show: { command: 'node', args: [SHOW_SERVER], signalbox: { approval: 'auto' } },
        },
      },
    });
    return async () => {
      await service.stop();
      await Promise.all([model.stop(), mail.stop()]);
    };
  });
  const open = (path: string) => openPage(path, { service: service.url });
  const clientOf = () => createClient({ baseUrl: service.url });

  test('the text of a run grows while the model writes it', async () => {
    const parts = ['The harbor ', 'opens at dawn ', 'and closes at dusk.'];
    const steps = parts.map(() => Promise.withResolvers<void>());
    model.respond = async (_request, reply) => {
      for (const [index, part] of parts.entries()) {
        reply.text(part);
        await steps[index]?.promise;
      }
    };
    const { id } = await clientOf().runs.create({ prompt: 'When?', servers: ['ask'] });
    const page = await open(`/runs/${id}`);
    const timeline = page.getByRole('list', { name: 'Timeline' });
    for (const index of parts.keys()) {
      const text = parts.slice(0, index + 1).join('');
      await timeline.getByText(text.trim(), { exact: true }).waitFor();
      expect(await timeline.getByRole('heading', { name: 'Answer' }).count()).toBe(0);
      expect((await clientOf().runs.get(id)).status).toBe('running');
      steps[index]?.resolve();
    }
    await timeline.getByRole('heading', { name: 'Answer' }).waitFor();
    expect(await timeline.getByText(parts.join(''), { exact: true }).count()).toBe(1);
  });

  test('the focus goes from an approval to the next question, and then to the answered one', async () => {
    let isFirst = true;
    model.respond = (_request, reply) => {
      if (!isFirst) return reply.text('Both lines are written.');
      isFirst = false;
      for (const line of ['one', 'two']) reply.call('show__write', { line });
    };
    const { id } = await clientOf().runs.create({
      prompt: 'Write two lines',
      servers: ['show'],
      approvals: [{ tools: 'show__write', policy: 'ask' }],
    });
    const page = await open(`/runs/${id}`);
    const questions = page.getByRole('listitem').filter({ hasText: 'Waits for a person' });
    await questions.nth(1).getByRole('button', { name: 'Approve' }).press('Enter');
    await page.locator('h2:focus', { hasText: 'Approval' }).waitFor();
    expect(await questions.count()).toBe(1);
    await questions.locator('h2:focus').waitFor();
    await questions.getByRole('button', { name: 'Approve' }).press('Enter');
    await page.getByRole('heading', { name: 'Answer' }).waitFor();
    await page.getByRole('listitem').filter({ hasText: 'Answered' }).locator('h2:focus').waitFor();
  });

  test('a run of a conversation is cancelled, by the next message and by its button', async () => {
    model.respond = async ({ messages }, reply) => {
      if (messages.at(-1)?.content === 'Name a port.') return reply.text('Lisbon.');
      reply.text('The first port is');
      return new Promise(() => undefined);
    };
    const { id } = await unwrap(clientOf().api.POST('/v1/threads', { body: { title: 'Ports' } }));
    const page = await open(`/threads/${id}`);
    const field = page.getByLabel('Message', { exact: true });
    const list = page.locator('article', { hasText: 'List all ports.' });
    await field.fill('List all ports.');
    await field.press('Enter');
    await list.getByText('The first port is').waitFor();
    await field.fill('Name a port.');
    await page.getByLabel('A run is in progress').selectOption('Cancel the run, then start');
    await page.getByRole('button', { name: 'Send' }).click();
    await list.getByText('Cancelled for the next message.').waitFor();
    await page.getByRole('article').last().getByText('Lisbon.').waitFor();

    await field.fill('Name two ports.');
    await field.press('Enter');
    const two = page.locator('article', { hasText: 'Name two ports.' });
    await two.getByRole('button', { name: 'Cancel' }).click();
    await two.getByText('Cancelled before it was complete.').waitFor();
    expect(await page.getByRole('article').count()).toBe(3);
  });

  test('a file that is attached in the form reaches the run and its model', async () => {
    model.respond = ({ messages }, reply) => {
      const { role, content } = messages.at(-1) ?? {};
      const id = /^(\S+): text\/csv/mu.exec(String(content))?.[1];
      if (role === 'user') reply.call('artifact_read', { id });
      else reply.text(`I read: ${String(content)}`);
    };
    const page = await open('/runs/new');
    await page.getByLabel('Files').setInputFiles([
      { name: 'ports.csv', mimeType: 'text/csv', buffer: Buffer.from('port,berths\nOslo,12\n') },
      { name: 'wrong.txt', mimeType: 'text/plain', buffer: Buffer.from('not this one') },
    ]);
    await page.getByRole('button', { name: 'Remove wrong.txt' }).click();
    await page.getByLabel('Task').fill('How many rows?');
    await page.getByRole('button', { name: 'Start the run' }).click();
    await page.getByRole('heading', { name: 'Answer' }).waitFor();
    const timeline = page.getByRole('list', { name: 'Timeline' });
    expect(await timeline.getByText(/^I read: .*Oslo,12/su).count()).toBe(1);
    const prompt = JSON.stringify(model.requests.at(-2)?.messages.at(-1)?.content);
    expect(prompt.match(/text\/\w+/gu)).toEqual(['text/csv']);
  });

  test('a request of a server to the model is edited, and its reply is reviewed', async () => {
    model.respond = (_request, reply) => reply.text('Orders fell.');
    const { id } = await unwrap(
      clientOf().api.POST('/v1/tools/{name}/call', {
        params: { path: { name: 'ask__summarize' } },
        body: { arguments: {} },
      }),
    );
    const page = await open('/inbox');
    await page.getByRole('link', { name: /ask wants to use the model/ }).click();
    await page.getByRole('textbox', { name: 'Text' }).fill('Summarize the orders.');
    await page.getByRole('spinbutton', { name: 'Output tokens' }).fill('50');
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Approve with changes' }).click();
    await page.getByRole('link', { name: 'Next: ask gets a reply of the model' }).click();
    const reply = page.getByRole('textbox', { name: 'Reply' });
    expect(await reply.inputValue()).toBe('Orders fell.');
    expect(await accessibilityProblems(page)).toEqual([]);
    await reply.fill('Orders rose.');
    await page.getByRole('button', { name: 'Send with changes' }).click();
    await page.getByRole('heading', { name: /^Approved/ }).waitFor();
    const sent = model.requests.at(-1);
    expect(JSON.stringify(sent?.messages)).toContain('Summarize the orders.');
    expect(sent).toMatchObject({ max_tokens: 50 });
    expect((await clientOf().runs.wait(id)).answer).toContain('Orders rose.');
  });

  test('a run of five thousand events is scrolled, filtered and opened in its middle', async () => {
    const [turns, callsOfTurn] = [42, 40];
    let turn = 0;
    model.respond = (_request, reply) => {
      turn += 1;
      if (turn > turns) reply.text('The end of the work.');
      else
        for (let call = 1; call <= callsOfTurn; call += 1)
          reply.call('show__write', { line: `turn ${turn}, call ${call}` });
    };
    const { runs, api } = clientOf();
    const limits = { turns: turns + 1, tool_calls: turns * callsOfTurn };
    const { id } = await runs.create({ prompt: 'Write a lot', servers: ['show'], limits });
    const { status, last_seq: lastSeq } = await runs.wait(id);
    expect(status).toBe('completed');
    expect(lastSeq).toBeGreaterThan(5000);
    const middle = await unwrap(
      api.GET('/v1/runs/{id}/events', {
        params: { path: { id }, query: { after: Math.floor(lastSeq / 2), limit: 100 } },
      }),
    );
    const planned = middle?.data.find(({ type }) => type === 'tool_call.planned');
    const line = /turn \d+, call \d+/.exec(JSON.stringify(planned))?.[0] ?? 'no call';

    const page = await open(`/runs/${id}#event-${planned?.seq}`);
    const events = page.getByRole('tab', { name: `Events ${lastSeq}` });
    await events.waitFor();
    const timeline = page.getByRole('list', { name: 'Timeline' });
    await timeline.locator('.row.target').getByText(`line: ${line}`, { exact: true }).waitFor();
    expect(await timeline.getByRole('listitem').count()).toBeLessThan(80);
    await page.keyboard.press('Home');
    await timeline.getByText('line: turn 1, call 1', { exact: true }).waitFor();
    await page.keyboard.press('End');
    await timeline.getByText('The end of the work.').waitFor();

    await events.click();
    const log = page.getByRole('list', { name: 'Events' });
    await log.locator('.event.target').getByText('tool_call.planned').waitFor();
    await page.getByRole('combobox', { name: 'Events' }).selectOption('turn.*');
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    await log
      .getByText(/^turn\.completed$/)
      .last()
      .waitFor();
    const types = await log.locator('.event-line > code:first-of-type').allTextContents();
    expect(types.filter((type) => !type.startsWith('turn.'))).toEqual([]);
    expect(types.length).toBeGreaterThan(5);
  });

  test('a row with the focus stays when it is scrolled out of view', async () => {
    model.respond = ({ messages }, reply) => {
      if (messages.at(-1)?.role === 'tool') return reply.text('All of them are written.');
      for (const line of ['the first line', ...Array.from({ length: 60 }, () => 'more')])
        reply.call('show__write', { line });
    };
    const { id } = await clientOf().runs.create({ prompt: 'Write much', servers: ['show'] });
    await clientOf().runs.wait(id);
    const page = await open(`/runs/${id}`);
    const timeline = page.getByRole('list', { name: 'Timeline' });
    const row = timeline.getByRole('listitem').filter({ hasText: 'the first line' });
    await row.getByRole('button', { name: 'write' }).focus();
    await page.keyboard.press('End');
    await timeline.getByText('All of them are written.').waitFor();
    await page.keyboard.press('Tab');
    await row.locator(':focus').waitFor();
    expect(
      await row.getByRole('button', { name: 'write' }).and(page.locator(':focus')).count(),
    ).toBe(0);
  });

  test('a person logs in to a protected server through the browser, and logs out', async () => {
    // Another try of this test may find the login of the one before.
    await clientOf().api.DELETE('/v1/servers/{name}/login', { params: { path: { name: 'mail' } } });
    const page = await open('/servers/mail');
    const logIn = page.getByRole('button', { name: 'Log in', exact: true });
    const logOut = page.getByRole('button', { name: 'Log out' });
    const finishLogin = async (outcome: string): Promise<void> => {
      await logIn.click();
      const opened = page.waitForEvent('popup');
      await page.getByRole('link', { name: /^Open 127\.0\.0\.1:/ }).click();
      const popup = await opened;
      await popup.getByRole('heading', { name: outcome }).waitFor();
      await popup.close();
    };
    await logIn.waitFor();
    expect(await logOut.count()).toBe(0);
    expect(await accessibilityProblems(page)).toEqual([]);

    mail.authorization.decide({ isGranted: false });
    await finishLogin('You are not logged in');
    mail.authorization.decide({ isGranted: true });
    await page.reload();
    await finishLogin('You are logged in');
    await page.getByRole('list', { name: 'Tools' }).getByText('read_mail').waitFor();

    await logOut.click();
    await page.getByText('This server needs a login').waitFor();
    expect(await logOut.count()).toBe(0);
    expect(mail.authorization.requestsTo('revoke').length).toBeGreaterThan(0);
  });
});
