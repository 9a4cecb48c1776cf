import { expect, test } from 'vitest';
import { parseLocation } from './parse-location.ts';

test.each([
  ['52.52,13.41', 52.52, 13.41],
  [' 52.52 , 13.41 ', 52.52, 13.41],
  ['-33.9, 151.2', -33.9, 151.2],
  ['+90,-180', 90, -180],
  ['.5,1.', 0.5, 1],
  ['(52.52, 13.41)', 52.52, 13.41],
  ['[52.52, 13.41]', 52.52, 13.41],
  ['\u221233.9, 151.2', -33.9, 151.2],
  ['(51.5 North, 0.1 West)', 51.5, -0.1],
])('reads %j as coordinates', (text, latitude, longitude) => {
  expect(parseLocation(text)).toEqual({ kind: 'coordinates', latitude, longitude });
});

test('reads a place id', () => {
  expect(parseLocation(' geo:2950159 ')).toEqual({ kind: 'id', id: 2_950_159 });
});

test.each([
  ['Berlin', 'Berlin', []],
  ['  New   York ,  US ', 'New York', ['US']],
  ['Springfield, Illinois, United States', 'Springfield', ['Illinois', 'United States']],
  ['Nan, Thailand', 'Nan', ['Thailand']],
  ['10115', '10115', []],
  ['Paris,', 'Paris', []],
  ['Mu\u0308nchen', 'München', []],
  ['東京', '東京', []],
])('reads %j as a name with qualifiers', (text, name, qualifiers) => {
  expect(parseLocation(text)).toEqual({ kind: 'name', name, qualifiers });
});

test.each([
  ['', 'empty'],
  ['   ', 'empty'],
  ['x'.repeat(201), 'longer than 200'],
  ['a\u0000b', 'control characters'],
  ['a\nb', 'control characters'],
  ['95,13', 'latitude 95 is not between -90 and 90'],
  ['10,181', 'longitude 181 is not between -180 and 180'],
  ['nan,inf', 'latitude nan'],
  ['91 N, 0 E', 'latitude 91'],
  ['0° N, 181° W', 'longitude -181'],
  ['1e9,0', 'latitude 1e9'],
  ['geo:', 'geo: and a number'],
  ['geo:12a', 'geo: and a number'],
  ['geo:1234567890123', 'geo: and a number'],
  [',Berlin', 'does not start with the name'],
  ['...', 'does not start with the name'],
])('refuses %j', (text, message) => {
  expect(() => parseLocation(text)).toThrow(
    expect.objectContaining({
      code: 'invalid-location',
      message: expect.stringContaining(message) as unknown,
    }),
  );
});
