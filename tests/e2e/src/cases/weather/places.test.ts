import { describe, expect, test } from 'vitest';
import { eras, type Json } from '../stdio-peer.test.support.ts';
import { useFixture } from './fixture.test.support.ts';

const fixture = useFixture();

interface Form {
  readonly properties: {
    readonly place: {
      readonly oneOf: readonly { readonly const: string; readonly title: string }[];
    };
  };
}

describe.each(eras)('a %s client', (era) => {
  const current = async (location: unknown, more: Json = {}) =>
    (await fixture.peer(era)).call('weather_current', { location, ...more });

  test('WX-02 gets the current weather of a city', async () => {
    const { structured, text } = await current('Berlin');
    expect(structured).toMatchObject({
      location: {
        id: 'geo:2',
        name: 'Berlin',
        country: 'Germany',
        latitude: 52.52,
        longitude: 13.41,
        timezone: 'Europe/Berlin',
      },
      observedAt: '2026-11-20T14:15:00+01:00',
      temperature: 3.4,
      units: { temperature: '°C' },
      conditions: { code: 61, text: 'slight rain' },
      source: 'open-meteo',
      attribution: expect.stringContaining('CC BY 4.0') as string,
      cache: { stale: false },
    });
    expect(text).toMatch(/Berlin.*slight rain, 3\.4 °C/s);
  });

  test('WX-03 gives coordinates as text, without geocoding', async () => {
    for (const [location, latitude, longitude] of [
      ['52.52,13.41', 52.52, 13.41],
      [' 52.52 , 13.41 ', 52.52, 13.41],
      ['-33.9, 151.2', -33.9, 151.2],
    ]) {
      const { structured } = await current(location);
      expect(structured).toMatchObject({ location: { latitude, longitude } });
    }
    expect(fixture.requests().map(({ pathname }) => pathname)).not.toContain('/v1/search');
  });

  test('WX-05, WX-07 lets the user choose an ambiguous place, or decline', async () => {
    const forms: Form[] = [];
    let action: 'accept' | 'decline' = 'accept';
    const peer = await fixture.start(era, [], {
      elicit: (_message, params) => {
        const form = params['requestedSchema'] as Form;
        forms.push(form);
        return { action, content: { place: form.properties.place.oneOf[1]?.const } };
      },
    });
    const chosen = await peer.call('weather_current', { location: 'Springfield' });
    expect(chosen.structured).toMatchObject({
      location: { admin1: 'Illinois', latitude: 39.8, longitude: -89.64 },
    });
    expect(forms.map((form) => form.properties.place.oneOf.map(({ title }) => title))).toEqual([
      ['Springfield, Missouri, United States', 'Springfield, Illinois, United States'],
    ]);
    action = 'decline';
    const before = fixture.requests().length;
    expect(await peer.call('weather_current', { location: 'Springfield' })).toMatchObject({
      isError: true,
    });
    expect(fixture.requests().length).toBe(before);
  });

  test('WX-06 gets the candidates of an ambiguous place without elicitation', async () => {
    const { isError, text, result } = await current('Springfield');
    expect([isError, text]).toEqual([
      true,
      expect.stringMatching(/geo:1 .*Missouri.*geo:2 .*Illinois/),
    ]);
    expect(result?.['_meta']).toMatchObject({
      'dev.signalbox/error': {
        code: 'ambiguous-place',
        candidates: [{ id: 'geo:1' }, { id: 'geo:2' }],
      },
    });
  });

  test('WX-08 is not asked about a qualified name', async () => {
    expect((await current('Springfield, Illinois')).structured).toMatchObject({
      location: { admin1: 'Illinois' },
    });
    expect((await current('Springfield, MO, US')).structured).toMatchObject({
      location: { admin1: 'Missouri' },
    });
  });

  test('WX-09 is told about an unknown place', async () => {
    const { isError, text } = await current('Nowhereville');
    expect([isError, text]).toEqual([
      true,
      expect.stringContaining('No place named "Nowhereville"'),
    ]);
  });

  test('WX-10 bad input is refused before any request', async () => {
    const bad = ['95,13', '10,181', 'nan,inf', '', 'x'.repeat(5000), 'a\u0000b'];
    for (const location of bad) expect((await current(location)).isError).toBe(true);
    const peer = await fixture.peer(era);
    for (const days of [0, 17])
      expect((await peer.call('weather_forecast', { location: 'Berlin', days })).isError).toBe(
        true,
      );
    expect(fixture.requests()).toEqual([]);
  });

  test('gets the town of a street address, marked as a locality', async () => {
    const { structured } = await current('Unter den Linden 77, 10117 Berlin, Germany');
    expect(structured).toMatchObject({ location: { name: 'Berlin', precision: 'locality' } });
  });
});
