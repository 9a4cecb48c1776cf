import { expect, test } from 'vitest';
import { unitSystems } from './units.ts';

test('imperial is Fahrenheit, miles per hour and inches', () => {
  const { imperial } = unitSystems;
  expect(imperial.temperature(3.4)).toBe(38.1);
  expect(imperial.windSpeed(14.2)).toBe(8.8);
  expect(imperial.precipitation(25.4)).toBe(1);
  expect(imperial.labels).toMatchObject({
    temperature: '°F',
    windSpeed: 'mph',
    precipitation: 'inch',
  });
});

test('kelvin is Kelvin, metres per second and millimetres', () => {
  const { kelvin } = unitSystems;
  expect(kelvin.temperature(3.4)).toBe(276.55);
  expect(kelvin.windSpeed(14.2)).toBe(3.94);
  expect(kelvin.precipitation(0.2)).toBe(0.2);
  expect(kelvin.labels).toMatchObject({ temperature: 'K', windSpeed: 'm/s', precipitation: 'mm' });
});

test.each(['metric', 'imperial', 'kelvin'] as const)('%s keeps unknown values unknown', (name) => {
  const system = unitSystems[name];
  expect([system.temperature(null), system.windSpeed(null), system.precipitation(null)]).toEqual([
    null,
    null,
    null,
  ]);
});
