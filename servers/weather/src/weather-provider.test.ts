import { expect, onTestFinished, test } from 'vitest';
import { placeAt } from './location/resolve-location.ts';
import { mockServices } from './testing/mock-services.ts';
import { providerOf } from './testing/open-meteo.ts';
import { startUpstream } from './testing/upstream.ts';

const { signal } = new AbortController();

test.each([
  ['open-meteo', placeAt(40.71, -74.01), '2026-11-21T05:00:00Z'],
  ['nws', placeAt(41.88, -87.63), '2026-11-21T06:00:00Z'],
] as const)('a cached forecast of %s ends at midnight at the place', async (source, place, at) => {
  const midnight = Date.parse(at);
  let now = midnight - 60_000;
  const services = mockServices(() => new Date(now));
  const upstream = await startUpstream(onTestFinished, services);
  const runtime = { now: () => now, random: () => 0.5, pause: async () => undefined };
  const provider = providerOf(upstream, { provider: source, runtime });
  const firstDay = async () => {
    const { value, cache } = await provider.forecast(place, { days: 1, signal });
    return { date: value.daily[0]?.date, hit: cache.hit };
  };
  expect(await firstDay()).toEqual({ date: '2026-11-20', hit: false });
  now = midnight - 1;
  expect(await firstDay()).toEqual({ date: '2026-11-20', hit: true });
  now = midnight;
  expect(await firstDay()).toEqual({ date: '2026-11-21', hit: false });
});
