import { createTestContext } from '@signalbox/mcp-core/testing';
import { expect, onTestFinished, test } from 'vitest';
import type { Place } from '../provider.ts';
import { geocoded, openMeteo, providerOf } from '../testing/open-meteo.ts';
import { startUpstream } from '../testing/upstream.ts';
import { placeLabels, resolveOrAsk } from './resolve-location.ts';

const place = (id: number, more: Partial<Place>): Place => ({
  id: `geo:${id}`,
  name: 'Newtown',
  admin1: 'Testshire',
  country: 'Testland',
  regions: [],
  latitude: 50 + id,
  longitude: 1,
  precision: 'place',
  ...more,
});

test('places with the same label also get the district, then coordinates and inhabitants', () => {
  expect(
    placeLabels([
      place(1, { admin2: 'Kent' }),
      place(2, { population: 4100 }),
      place(3, {}),
      place(4, { admin1: 'Otherwise' }),
    ]),
  ).toEqual([
    'Newtown, Kent, Testshire, Testland',
    'Newtown, Testshire, Testland (52, 1; 4,100 inhabitants)',
    'Newtown, Testshire, Testland (53, 1)',
    'Newtown, Otherwise, Testland',
  ]);
});

test('the user sees a different line for each place', async () => {
  const newtowns = [1, 2, 3].map((id) =>
    geocoded(id, 'Newtown', { admin1: 'Testshire', population: 1000 + id }),
  );
  const upstream = await startUpstream(onTestFinished, openMeteo({ Newtown: newtowns }));
  const titles: string[] = [];
  const context = createTestContext({
    elicit: (_key, params) => {
      const { requestedSchema } = params as { readonly requestedSchema: unknown };
      const { oneOf } = (
        requestedSchema as {
          readonly properties: {
            readonly place: { readonly oneOf: readonly { readonly title: string }[] };
          };
        }
      ).properties.place;
      titles.push(...oneOf.map(({ title }) => title));
      return { action: 'accept', content: { place: 'geo:2' } };
    },
  });
  await expect(resolveOrAsk('Newtown', providerOf(upstream), context)).resolves.toMatchObject({
    place: { id: 'geo:2' },
  });
  expect(new Set(titles).size).toBe(3);
});

test('the candidates of a failed call have distinguishing fields', async () => {
  const newtowns = [1, 2].map((id) =>
    geocoded(id, 'Newtown', { admin2: 'Kent', population: 1000 }),
  );
  const upstream = await startUpstream(onTestFinished, openMeteo({ Newtown: newtowns }));
  await expect(
    resolveOrAsk('Newtown', providerOf(upstream), createTestContext()),
  ).rejects.toMatchObject({
    details: {
      candidates: [
        { id: 'geo:1', admin2: 'Kent', latitude: 11, longitude: 20, population: 1000 },
        { id: 'geo:2', latitude: 12 },
      ],
    },
  });
});

test('a place that the geocoder names twice is one place', async () => {
  const twice = [geocoded(1, 'Newtown'), geocoded(1, 'Newtown')];
  const upstream = await startUpstream(onTestFinished, openMeteo({ Newtown: twice }));
  await expect(
    resolveOrAsk('Newtown', providerOf(upstream), createTestContext()),
  ).resolves.toMatchObject({ place: { id: 'geo:1' }, alternatives: [] });
});

test.each([
  ['6th of October City, Egypt', 'geo:1', 'place'],
  ['6 October Street, Egypt', 'geo:2', 'locality'],
])('%s is the place of that name before it is an address', async (location, id, precision) => {
  const city = geocoded(1, '6th of October City', { country: 'Egypt', country_code: 'EG' });
  const egypt = geocoded(2, 'Egypt', { country: 'Egypt', country_code: 'EG' });
  const services = openMeteo({ '6th of October City': [city], Egypt: [egypt] });
  const upstream = await startUpstream(onTestFinished, services);
  await expect(
    resolveOrAsk(location, providerOf(upstream), createTestContext()),
  ).resolves.toMatchObject({ place: { id, precision } });
});
