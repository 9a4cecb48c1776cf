import { describe, expect, test } from 'vitest';
import { serve, toolOf, type HttpPeer } from './http-peer.test.support.ts';

/** Serves to a sender whose token expires at the time in the header `x-expires`, with frequent keep-alives. */
function serveExpiring(tool = toolOf('quick', () => 'done')): Promise<HttpPeer> {
  return serve(
    { tools: [tool] },
    {
      keepAliveMs: 20,
      access: {
        authenticate: ({ 'x-expires': expires }) => ({
          auth: { principal: 'ada', expiresAtMs: Number(expires) },
        }),
      },
    },
  );
}

const LATER = { 'x-expires': String(Date.now() + 3_600_000) };
const soon = (): { readonly 'x-expires': string } => ({ 'x-expires': String(Date.now() + 100) });

describe('when its token expires', () => {
  test('a modern subscription breaks, so that the client opens it again', async () => {
    const peer = await serveExpiring();
    const listen = (headers: { readonly [name: string]: string }) =>
      peer.send(
        peer.modern(
          'subscriptions/listen',
          { notifications: { toolsListChanged: true } },
          { headers },
        ),
      );
    const lasting = await listen(LATER);
    const expiring = await listen(soon());
    await expect(expiring.ended).resolves.toBeUndefined();
    expect(expiring.messages()).toMatchObject([
      { method: 'notifications/subscriptions/acknowledged' },
    ]);
    peer.server.changes.toolsChanged();
    await expect(
      lasting.find(({ method }) => method === 'notifications/tools/list_changed'),
    ).resolves.toBeDefined();
    lasting.destroy();
  });

  test('a call continues', async () => {
    const release = Promise.withResolvers<string>();
    const peer = await serveExpiring(toolOf('slow', () => release.promise));
    const other = await peer.send(
      peer.modern('subscriptions/listen', { notifications: {} }, { headers: soon() }),
    );
    const call = await peer.send(
      peer.modern('tools/call', { name: 'slow' }, { headers: { 'x-expires': '1' } }),
    );
    await other.ended;
    release.resolve('finished');
    await expect(call.find(({ id }) => id === 1)).resolves.toMatchObject({
      result: { content: [{ text: 'finished' }] },
    });
  });

  test('the stream of a session ends, and its messages wait for the next one', async () => {
    const peer = await serveExpiring();
    const session = await peer.initialize('2025-11-25', { headers: LATER });
    const get = (headers: { readonly [name: string]: string }) =>
      peer.send({
        method: 'GET',
        headers: { ...session.headers, accept: 'text/event-stream', ...headers },
      });
    const expiring = await get(soon());
    await expect(expiring.ended).resolves.toBeDefined();
    peer.server.changes.toolsChanged();
    const next = await get(LATER);
    await expect(
      next.find(({ method }) => method === 'notifications/tools/list_changed'),
    ).resolves.toBeDefined();
    const resumed = await get({ ...soon(), 'last-event-id': next.events()[0]?.id ?? '' });
    await expect(resumed.ended).resolves.toBeDefined();
    next.destroy();
  });
});
