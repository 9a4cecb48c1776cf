import { expect, test } from 'vitest';
import { localityOf } from './locality.ts';
import { parseLocation } from './parse-location.ts';

test.each([
  ['Unter den Linden 77, 10117 Berlin, Germany', 'Berlin', ['Germany']],
  ['1600 Pennsylvania Avenue NW, Washington, DC 20500', 'Washington', ['DC']],
  ['10 Downing Street, London SW1A 2AA, UK', 'London', ['UK']],
])('%s is an address in %s', (location, name, qualifiers) => {
  const query = parseLocation(location);
  expect(query.kind === 'name' ? localityOf(query) : query).toEqual({
    kind: 'name',
    name,
    qualifiers,
  });
});

test.each(['Berlin', '10117', '90210, US', 'Springfield, Illinois, US', 'District 9'])(
  '%s is no address',
  (location) => {
    const query = parseLocation(location);
    expect(query.kind === 'name' ? localityOf(query) : query).toBeUndefined();
  },
);
