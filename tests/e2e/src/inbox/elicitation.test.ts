import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  officialEverythingServer,
  sdkV1VisitingServer,
  sdkV2AskingServer,
} from '../../../peers/src/official-servers.ts';
import { InboxService } from './support/inbox-service.ts';

/** The service of the tests of a group, or of the one test that has its own. */
let box: InboxService;

/** Gives the running test a service of its own. */
async function createOwnBox(): Promise<void> {
  const shared = box as InboxService | undefined;
  box = await InboxService.create();
  onTestFinished(async () => {
    await box.close();
    if (shared !== undefined) box = shared;
  });
}

describe('the official legacy server with every feature', () => {
  const URL_ASKED = 'https://example.org/authorize?client=1&state=abc%20d#top';

  async function start(how: 'start' | 'startProcess' = 'start'): Promise<void> {
    await box[how](
      {
        everything: {
          command: 'node',
          args: [officialEverythingServer],
          signalbox: { approval: 'auto' },
        },
      },
      [
        {
          prompt: 'form',
          steps: [[{ tool: 'everything__trigger-elicitation-request', label: 'form' }]],
          answer: 'It said: ${result.form.text}',
        },
        {
          prompt: 'visit',
          steps: [
            [
              {
                tool: 'everything__trigger-url-elicitation',
                input: { url: URL_ASKED, message: 'Please sign in' },
                label: 'visit',
              },
            ],
          ],
          answer: 'It said: ${result.visit.text}',
        },
        {
          prompt: 'visit first',
          steps: [
            [
              {
                tool: 'everything__trigger-url-elicitation',
                input: { url: URL_ASKED, message: 'Please sign in', errorPath: true },
                label: 'visit',
              },
            ],
          ],
          answer: 'It said: ${result.visit.text}',
        },
      ],
    );
  }

  beforeAll(async () => {
    box = await InboxService.create();
    await start();
  });
  afterAll(() => box.close());

  test('gets a form that was filled in by REST, after exact problems for an invalid response', async () => {
    const { id } = await box.api.start('form');
    const item = await box.item(id, 'elicitation_form');
    expect(item.request).toMatchObject({
      server: 'everything',
      message: 'Please provide inputs for the following fields:',
      requested_schema: { required: ['name'] },
    });
    const content = {
      integer: 101,
      email: 'nobody',
      untitledSingleSelectEnum: 'Gunther',
      titledMultipleSelectEnum: [],
      shoe: 43,
    };
    const refused = await fetch(`${box.url}/v1/inbox/${item.id}/respond`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ action: 'accept', content }),
    });
    expect(refused.status).toBe(400);
    const { code, errors } = (await refused.json()) as {
      readonly code: string;
      readonly errors: readonly { readonly path: string }[];
    };
    expect(code).toBe('invalid_response');
    expect(errors.map(({ path }) => path).toSorted()).toEqual(
      [
        'email',
        'integer',
        'name',
        'shoe',
        'titledMultipleSelectEnum',
        'untitledSingleSelectEnum',
      ].map((name) => `/body/content/${name}`),
    );
    await box.respond(item, {
      action: 'accept',
      content: {
        name: 'Ada',
        integer: 7,
        email: 'ada@example.org',
        untitledSingleSelectEnum: 'Ross',
        titledMultipleSelectEnum: ['fish-2'],
        check: true,
      },
    });
    const { answer } = await box.api.settled(id);
    expect(answer).toContain(
      '- Name: Ada\n- Agreed to terms: true\n- Email: ada@example.org\n- Favorite Integer: 7',
    );
  });

  test.each([
    ['decline', 'User declined to provide the requested information'],
    ['cancel', 'User cancelled the elicitation dialog'],
  ])('receives %s at the command line', async (action, expected) => {
    const { id } = await box.api.start('form');
    expect(
      await box.cli('answer', (await box.item(id, 'elicitation_form')).id, action),
    ).toMatchObject({ code: 0 });
    expect((await box.api.settled(id)).answer).toContain(expected);
  });

  test('elicits by a URL that is shown whole, by REST and at the command line', async () => {
    const { id } = await box.api.start('visit');
    const item = await box.item(id, 'elicitation_url');
    expect(item.request).toMatchObject({
      message: 'Please sign in',
      url: URL_ASKED,
      host: 'example.org',
      warnings: [],
    });
    expect((await box.cli('show', item.id)).out).toContain(URL_ASKED);
    expect(await box.cli('answer', item.id, 'accept', '--content', '{"a":1}')).toMatchObject({
      code: 1,
      err: expect.stringContaining('content: is only part of an accepted form') as string,
    });
    expect(await box.cli('answer', item.id, 'accept')).toMatchObject({ code: 0 });
    expect((await box.api.settled(id)).answer).toMatch(/"action": "accept"/);
  });

  test('that refuses a call until a URL elicitation is complete gets the call again after it', async () => {
    const { id } = await box.api.start('visit first');
    const first = await box.item(id, 'elicitation_url');
    expect(first.request['url']).not.toBe(URL_ASKED);
    await box.respond(first, { action: 'accept' });
    const second = await box.item(id, 'elicitation_url');
    expect(second.request).toMatchObject({ url: URL_ASKED });
    await box.cli('answer', second.id, 'accept');
    expect((await box.api.settled(id)).answer).toMatch(/"action": "accept"/);
    expect(await box.api.toolCalls(id)).toMatchObject([{ state: 'succeeded', attempt: 1 }]);
  });

  test('that refuses a call until a URL elicitation is complete gets nothing when the person declines', async () => {
    const { id } = await box.api.start('visit first');
    await box.respond(await box.item(id, 'elicitation_url'), { action: 'decline' });
    expect((await box.api.settled(id)).answer).toContain('answered with error -32042');
    expect(await box.api.toolCalls(id)).toMatchObject([{ state: 'failed' }]);
  });

  test('is not awaited after a crash of the service: its inbox item is void and the outcome of the call is unknown', async () => {
    await createOwnBox();
    await start('startProcess');
    const { id } = await box.api.start('form');
    const item = await box.item(id, 'elicitation_form');
    await box.restart();
    const unknown = await box.item(id, 'outcome_unknown');
    expect(await box.api.get(`/v1/inbox/${item.id}`)).toMatchObject({ state: 'void' });
    expect(await box.cli('answer', item.id, 'decline')).toMatchObject({
      code: 1,
      err: expect.stringContaining('is no longer open: it is void') as string,
    });
    expect(await box.cli('answer', unknown.id, 'fail', '--note', 'start over')).toMatchObject({
      code: 0,
    });
    expect((await box.api.settled(id)).answer).toContain('Note: start over');
  });
});

test('a legacy server on the official SDK v1 reports a URL elicitation as complete, and the item shows it', async () => {
  await createOwnBox();
  await box.start(
    { sdk: { command: 'node', args: [sdkV1VisitingServer], signalbox: { approval: 'auto' } } },
    [
      {
        prompt: 'visit',
        steps: [[{ tool: 'sdk__visit', label: 'visit' }]],
        answer: 'It said: ${result.visit.text}',
      },
    ],
  );
  const { id } = await box.api.start('visit');
  const item = await box.item(id, 'elicitation_url');
  await box.cli('answer', item.id, 'accept');
  expect(await box.api.settled(id)).toMatchObject({ answer: 'It said: accept' });
  expect(await box.api.get(`/v1/inbox/${item.id}`)).toMatchObject({
    state: 'delivered',
    request: { elicitation_id: 'visit-1', is_completed: true },
  });
  expect((await box.api.events(id)).map(({ type }) => type)).toContain('inbox.completed');
});

describe('a modern server on the official SDK v2', () => {
  const ledger = (): string => join(box.folder, 'ledger');

  async function start(how: 'start' | 'startProcess' = 'start'): Promise<void> {
    const script = (tool: string) => ({
      prompt: tool,
      steps: [[{ tool: `sdk__${tool}`, label: 'asked' }]],
      answer: 'It said: ${result.asked.text}',
    });
    await box[how](
      {
        sdk: {
          command: 'node',
          args: [sdkV2AskingServer, ledger()],
          signalbox: { approval: 'auto', era: 'modern' },
        },
      },
      [script('greet'), script('visit')],
    );
  }

  beforeAll(async () => {
    box = await InboxService.create();
    await start();
  });
  afterAll(() => box.close());

  test('gets a form that was filled in by REST', async () => {
    const { id } = await box.api.start('greet');
    const item = await box.item(id, 'elicitation_form');
    await expect(box.respond(item, { action: 'accept', content: { name: 'A' } })).rejects.toThrow(
      /400.*content\.name: must have at least 2 characters/s,
    );
    await box.respond(item, { action: 'accept', content: { name: 'Ada' } });
    expect(await box.api.settled(id)).toMatchObject({
      status: 'completed',
      answer: 'It said: accept Ada',
    });
  });

  test('elicits by a URL, answered at the command line', async () => {
    const { id } = await box.api.start('visit');
    const item = await box.item(id, 'elicitation_url');
    expect(item.request).toMatchObject({
      url: 'https://example.org/sign-in?state=1',
      host: 'example.org',
    });
    await box.cli('answer', item.id, 'decline');
    expect((await box.api.settled(id)).answer).toBe('It said: decline');
  });

  test('continues once with the response that arrives after a crash of the service', async () => {
    await createOwnBox();
    await start('startProcess');
    const { id } = await box.api.start('greet');
    const item = await box.item(id, 'elicitation_form');
    await box.restart();
    expect(await box.api.get(`/v1/inbox/${item.id}`)).toMatchObject({ state: 'open' });
    expect(existsSync(ledger())).toBe(false);
    await box.cli('answer', item.id, 'accept', '--content', '{"name":"Ada"}');
    expect(await box.api.settled(id)).toMatchObject({
      status: 'completed',
      answer: 'It said: accept Ada',
    });
    expect(readFileSync(ledger(), 'utf8')).toBe('accept Ada\n');
    expect(await box.audit(id)).toEqual([
      'policy tool_call allowed',
      'person elicitation_form accepted',
      'service tool_call succeeded',
    ]);
  });
});
