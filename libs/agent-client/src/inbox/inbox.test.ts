import { expect, test } from 'vitest';
import type { InboxItem } from '../index.ts';
import { problem, scriptedService } from '../testing/scripted-service.ts';

const item = (kind: InboxItem['kind'], id = 'i') => ({ id, kind, state: 'open' });

test('the items of a run are listed over all pages', async () => {
  const { client, requests } = scriptedService([
    Response.json({ data: [item('tool_approval', 'a')], next_cursor: '2' }),
    Response.json({ data: [item('elicitation_url', 'b')] }),
  ]);
  const found: string[] = [];
  for await (const { id } of client.inbox.list({ run_id: 'r', state: 'open' })) found.push(id);
  expect(found).toEqual(['a', 'b']);
  expect(requests.map(({ url }) => new URL(url).search)).toEqual([
    '?run_id=r&state=open',
    '?run_id=r&state=open&cursor=2',
  ]);
});

test('an item is returned in full', async () => {
  const { client, requests } = scriptedService([Response.json(item('tool_approval'))]);
  expect(await client.inbox.get('i')).toMatchObject({ kind: 'tool_approval' });
  expect(requests[0]?.url).toBe('http://service.test/v1/inbox/i');
});

test('an item is answered once: a request whose response is lost is sent again with the same key', async () => {
  const { client, requests } = scriptedService([
    problem(503, { code: 'storage_busy', retryable: true }),
    Response.json(item('tool_approval')),
  ]);
  const response = { action: 'approve', remember: 'run', arguments: { path: 'a' } } as const;
  await client.inbox.respond({ id: 'i', kind: 'tool_approval' }, response);
  expect(await requests[1]?.json()).toEqual(response);
  const keys = requests.map(({ headers }) => headers.get('idempotency-key'));
  expect(keys[0]).toMatch(/^[\da-f]{32}$/);
  expect(keys[1]).toBe(keys[0]);
});

test('a wrong answer fails with the wrong fields', async () => {
  const errors = [{ path: '/body/content/name', message: 'is required' }];
  const { client } = scriptedService([problem(400, { code: 'invalid_response', errors })]);
  await expect(
    client.inbox.respond(
      { id: 'i', kind: 'elicitation_form' },
      { action: 'accept', content: {}, note: 'none' },
    ),
  ).rejects.toMatchObject({ code: 'invalid_response', fields: errors });
});

/** Never called: the compiler checks it. */
export async function answerByKind(inbox: ReturnType<typeof scriptedService>['client']['inbox']) {
  for await (const found of inbox.list({ state: 'open' })) {
    if (found.kind === 'tool_approval') {
      await inbox.respond(found, { action: 'deny', note: found.request.tool });
      // @ts-expect-error -- an approval is not accepted
      await inbox.respond(found, { action: 'accept', content: {} });
    }
    if (found.kind === 'elicitation_form') {
      await inbox.respond(found, { action: 'accept', content: { name: 'Ada' } });
      // @ts-expect-error -- an accepted form has content
      await inbox.respond(found, { action: 'accept' });
    }
    if (found.kind === 'outcome_unknown') {
      await inbox.respond(found, { action: 'mark_done' });
      // @ts-expect-error -- the outcome of a call is not approved
      await inbox.respond(found, { action: 'approve' });
    }
  }
}
