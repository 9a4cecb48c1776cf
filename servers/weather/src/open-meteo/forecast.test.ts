import { describe, expect, test } from 'vitest';
import { currentDocument, forecastDocument } from '../testing/open-meteo.ts';
import { currentOf, forecastOf } from './forecast.ts';

describe('values that cannot be', () => {
  test.each([
    [
      'a month of 99',
      { ...currentDocument, current: { ...currentDocument.current, time: '2026-99-99T99:99' } },
    ],
    [
      'February 30',
      { ...currentDocument, current: { ...currentDocument.current, time: '2026-02-30T10:00' } },
    ],
    ['an offset of 277,777 hours', { ...currentDocument, utc_offset_seconds: 1_000_000_000 }],
  ])('refuses current weather with %s', (_what, document) => {
    expect(() => currentOf(document)).toThrow('without a usable current weather');
  });

  test('takes a number that JSON reads as Infinity for none', () => {
    const document = JSON.parse(
      JSON.stringify(currentDocument).replace('"temperature_2m":3.4', '"temperature_2m":1e999'),
    ) as unknown;
    expect(currentOf(document)).toMatchObject({ temperature: null, humidity: 87 });
  });

  test('refuses a forecast for a day that does not exist', () => {
    const document = forecastDocument(1);
    document.daily.time = ['2026-11-31'];
    expect(() => forecastOf(document, 1)).toThrow('without a usable forecast');
  });
});
