import { sendJson } from '@signalbox/server-weather/testing';
import { describe, expect, test } from 'vitest';
import { eras, type Json } from '../stdio-peer.test.support.ts';
import { normal, useFixture } from './fixture.test.support.ts';

const fixture = useFixture();

describe.each(eras)('a %s client', (era) => {
  const request = async (method: string, params?: Json) =>
    (await fixture.peer(era)).request(method, params);
  const complete = async (ref: Json, name: string, value: string) => {
    const { result } = await request('completion/complete', { ref, argument: { name, value } });
    const completion = result?.['completion'] as { readonly values: readonly string[] } | undefined;
    return completion?.values ?? [];
  };
  const ofResource = (uri: string) => ({ type: 'ref/resource', uri });

  test('WX-29 lists and reads resources, with the time for which they may be kept', async () => {
    const { result: listed } = await request('resources/list');
    expect(listed?.['resources']).toMatchObject([{ uri: 'weather://reference/wmo-codes' }]);
    const { result: templates } = await request('resources/templates/list');
    const listedTemplates = (templates?.['resourceTemplates'] ?? []) as { uriTemplate: string }[];
    const uris = listedTemplates.map(({ uriTemplate }) => uriTemplate);
    expect(uris.toSorted()).toEqual([
      'weather://{area}/alerts',
      'weather://{city}/current',
      'weather://{city}/forecast',
    ]);
    const { result } = await request('resources/read', { uri: 'weather://Berlin/current' });
    const contents = (result?.['contents'] ?? []) as readonly { mimeType: string; text: string }[];
    const [content] = contents;
    expect(content?.mimeType).toBe('application/json');
    expect(JSON.parse(content?.text ?? '')).toMatchObject({
      location: { name: 'Berlin' },
      temperature: 3.4,
    });
    const ttlMs = Number(result?.['ttlMs'] ?? 1);
    expect([result?.['cacheScope'], ttlMs >= 1 && ttlMs <= 900_000]).toEqual([
      era === 'modern' ? 'public' : undefined,
      true,
    ]);
    for (const uri of [
      'weather://geo%3A2/forecast',
      'weather://CA/alerts',
      'weather://reference/wmo-codes',
    ])
      expect((await request('resources/read', { uri })).error).toBeUndefined();
    for (const uri of [
      'weather://Nowhereville/current',
      'weather://ZZ/alerts',
      'weather://95%2C0/current',
    ])
      expect((await request('resources/read', { uri })).error?.code).toBe(
        era === 'legacy' ? -32_002 : -32_602,
      );
    const { error } = await request('resources/read', { uri: 'weather://Springfield/current' });
    expect(error).toMatchObject({
      code: -32_602,
      data: { reason: 'ambiguous-place', candidates: [{ id: 'geo:1' }, { id: 'geo:2' }] },
    });
  });

  test('WX-30 completes cities and areas', async () => {
    const city = ofResource('weather://{city}/current');
    const cities = await complete(city, 'city', 'Ber');
    expect([cities[0], cities.length <= 100]).toEqual(['Berlin', true]);
    const before = fixture.requests().length;
    expect(await complete(city, 'city', 'B')).toEqual([]);
    expect(fixture.requests().length).toBe(before);
    expect(await complete(ofResource('weather://{area}/alerts'), 'area', 'C')).toEqual([
      'CA',
      'CO',
      'CT',
    ]);
  });

  test('WX-31 is notified when a subscribed resource changes, and only then', async () => {
    const peer = await fixture.start(era, [], { env: { WEATHER_POLL_MS: '100' } });
    let description = 'first';
    let polls = 0;
    fixture.answer = (exchange) => {
      if (exchange.url.pathname !== '/alerts/active') return normal(exchange);
      polls += 1;
      return sendJson(exchange.response, { features: [{ properties: { description } }] });
    };
    const uri = 'weather://CA/alerts';
    const isUpdate = ({ method }: Json) => method === 'notifications/resources/updated';
    let listening = 0;
    if (era === 'legacy') {
      await peer.request('resources/subscribe', { uri });
    } else {
      const options = { onId: (id: number) => (listening = id) };
      void peer.request(
        'subscriptions/listen',
        { notifications: { resourceSubscriptions: [uri] } },
        options,
      );
      await peer.notified(({ method }) => method === 'notifications/subscriptions/acknowledged');
    }
    await expect.poll(() => polls, { timeout: 10_000, interval: 20 }).toBeGreaterThanOrEqual(3);
    expect(peer.notifications.filter(isUpdate)).toEqual([]);
    description = 'second';
    expect(await peer.notified(isUpdate)).toMatchObject({ params: { uri } });
    if (era === 'legacy') await peer.request('resources/unsubscribe', { uri });
    else peer.cancel(listening);
    await peer.request('tools/list');
    const after = polls;
    await new Promise((resolve) => setTimeout(resolve, 350));
    expect(polls - after).toBeLessThanOrEqual(1);
    expect(peer.notifications.filter(isUpdate)).toHaveLength(1);
  });

  test('WX-39 gets the prompt, which names the tool to call, and completes its location', async () => {
    const { result: listed } = await request('prompts/list');
    expect(listed?.['prompts']).toMatchObject([
      { name: 'plan_day', arguments: [{ name: 'location', required: true }, { name: 'date' }] },
    ]);
    const { result } = await request('prompts/get', {
      name: 'plan_day',
      arguments: { location: 'Berlin' },
    });
    expect(JSON.stringify(result?.['messages'])).toMatch(/weather_forecast.*/s);
    const { error } = await request('prompts/get', {
      name: 'plan_day',
      arguments: { location: 'Berlin', date: '2026-02-30' },
    });
    expect(error?.code).toBe(-32_602);
    expect(await complete({ type: 'ref/prompt', name: 'plan_day' }, 'location', 'Ber')).toContain(
      'Berlin',
    );
  });
});
