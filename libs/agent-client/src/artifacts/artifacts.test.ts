import { describe, expect, test } from 'vitest';
import { problem, scriptedService } from '../testing/scripted-service.ts';

const stored = () => Response.json({ id: 'a' }, { status: 201 });

describe('a file', () => {
  test.each([
    { content: 'name,amount', options: { mediaType: 'text/csv' }, type: 'text/csv' },
    { content: 'plain words', options: {}, type: 'text/plain' },
    { content: new Blob(['%PNG'], { type: 'image/png' }), options: {}, type: 'image/png' },
    { content: new Blob(['?']), options: {}, type: 'text/plain' },
  ])('is sent as it is, as $type', async ({ content, options, type }) => {
    const { client, requests } = scriptedService([stored()]);
    expect(await client.artifacts.create(content, options)).toEqual({ id: 'a' });
    expect(requests[0]?.headers.get('content-type')).toBe(type);
    expect(await requests[0]?.text()).toBe(
      typeof content === 'string' ? content : await content.text(),
    );
  });

  test('is stored once: a request whose response is lost is sent again with the same key', async () => {
    const { client, requests } = scriptedService([
      problem(503, { code: 'storage_busy', retryable: true }),
      stored(),
    ]);
    await client.artifacts.create(new Blob(['x']));
    const keys = requests.map(({ headers }) => headers.get('idempotency-key'));
    expect(keys[0]).toMatch(/^[\da-f]{32}$/);
    expect(keys[1]).toBe(keys[0]);
    expect(await requests[1]?.text()).toBe('x');
  });
});
