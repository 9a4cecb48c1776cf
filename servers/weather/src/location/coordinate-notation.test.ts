import { expect, test } from 'vitest';
import { readNotation } from './coordinate-notation.ts';

test.each([
  ['51.5074° N, 0.1278° W', 51.5074, -0.1278],
  ['51.5074 N, 0.1278 W', 51.5074, -0.1278],
  ['51.5N 0.12W', 51.5, -0.12],
  ['51.5074 North, 0.1278 West', 51.5074, -0.1278],
  ['0.1278W; 51.5074N', 51.5074, -0.1278],
  ['N 52.52, E 13.41', 52.52, 13.41],
  ['S33.9 E151.2', -33.9, 151.2],
  ['51°30′26″N 0°7′39″W', 51.507222, -0.1275],
  [`40°26'46"N, 79°58'56"W`, 40.446111, -79.982222],
  [`40°26.5'N79°58.5'W`, 40.441667, -79.975],
  ['52.52°, 13.41°', 52.52, 13.41],
  ['\u221233.9º, 151.2º', -33.9, 151.2],
  ['lat 52.52, lon 13.41', 52.52, 13.41],
  ['longitude: -13.41, latitude: 52.52', 52.52, -13.41],
  ['lat=-1,lng=2', -1, 2],
  ['51.5 N, -0.12 W', 51.5, -0.12],
])('reads %s', (text, latitude, longitude) => {
  expect(readNotation(text)).toEqual({ latitude, longitude });
});

test.each([
  'Berlin',
  '10117',
  '10117 12345',
  '52.52, 13.41',
  '300 N Main Street, Springfield',
  '5 North, 6 South',
  '5 N',
  'N5N, E6',
  `1°60'N, 0°E`,
  `1°0'60"N, 0°E`,
  '12 West, Berlin',
  'lat 1, lat 2',
  '-51.5 N, 0.12 W',
])('%s has no marks of coordinates', (text) => {
  expect(readNotation(text)).toBeUndefined();
});
