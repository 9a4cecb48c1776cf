import { describe, expect, test } from 'vitest';
import type { Place } from '../provider.ts';
import { choosePlace } from './choose-place.ts';
import type { PlaceQuery } from './parse-location.ts';

function place(id: string, name: string, more: Partial<Place> = {}): Place {
  const regions = more.admin1 === undefined ? [] : [more.admin1];
  return { id, name, regions, latitude: 0, longitude: 0, precision: 'place', ...more };
}

function query(name: string, ...qualifiers: string[]): PlaceQuery {
  return { kind: 'name', name, qualifiers };
}

const us = { country: 'United States', countryCode: 'US' };
const missouri = place('mo', 'Springfield', { ...us, admin1: 'Missouri', population: 169_176 });
const illinois = place('il', 'Springfield', { ...us, admin1: 'Illinois', population: 114_394 });
const springfields = [illinois, missouri];

describe('choosePlace', () => {
  test('takes a place with ten times the inhabitants of the next and lists the others', () => {
    const big = place('fr', 'Paris', { population: 2_000_000 });
    const small = place('tx', 'Paris', { population: 200_000 });
    expect(choosePlace(query('paris'), [small, big])).toEqual({
      kind: 'found',
      place: big,
      alternatives: [small],
    });
  });

  test('does not take a place with less than ten times the inhabitants', () => {
    const big = place('a', 'Paris', { population: 1_999_999 });
    const small = place('b', 'Paris', { population: 200_000 });
    expect(choosePlace(query('Paris'), [small, big])).toEqual({
      kind: 'ambiguous',
      candidates: [big, small],
    });
  });

  test('does not let an unknown population decide', () => {
    const known = place('a', 'Hill', { population: 9999 });
    const unknown = place('b', 'Hill');
    expect(choosePlace(query('Hill'), [known, unknown]).kind).toBe('ambiguous');
    expect(choosePlace(query('Hill'), [place('c', 'Hill'), unknown]).kind).toBe('ambiguous');
    expect(
      choosePlace(query('Hill'), [place('d', 'Hill', { population: 10_000 }), unknown]).kind,
    ).toBe('found');
  });

  test('prefers places of exactly this name to similar ones, whatever their size', () => {
    const york = place('york', 'York', { population: 144_000 });
    const newYork = place('ny', 'New York', { population: 8_000_000 });
    expect(choosePlace(query('york'), [newYork, york])).toMatchObject({
      kind: 'found',
      place: york,
    });
  });

  test('takes the only similar place, as for a name in another language', () => {
    const munich = place('m', 'Munich');
    expect(choosePlace(query('München'), [munich])).toMatchObject({ kind: 'found', place: munich });
  });

  test.each([
    ['Illinois', 'il'],
    ['illinois', 'il'],
    ['IL', 'il'],
    ['MO', 'mo'],
  ])('narrows Springfield down by %s', (qualifier, id) => {
    expect(choosePlace(query('Springfield', qualifier), springfields)).toMatchObject({
      kind: 'found',
      place: { id },
      alternatives: [],
    });
  });

  test.each(['US', 'us', 'USA', 'United States', 'United States of America'])(
    'knows the country %s, and that it does not decide',
    (country) => {
      expect(choosePlace(query('Springfield', country), springfields)).toMatchObject({
        kind: 'ambiguous',
      });
      expect(choosePlace(query('Springfield', 'MO', country), springfields)).toMatchObject({
        kind: 'found',
        place: { id: 'mo' },
      });
    },
  );

  test('lists the places elsewhere when the qualifiers exclude all', () => {
    expect(choosePlace(query('Springfield', 'Idaho'), springfields)).toEqual({
      kind: 'none',
      elsewhere: [missouri, illinois],
    });
  });

  test('does not read a state abbreviation outside the United States', () => {
    const elsewhere = place('x', 'Springfield', { countryCode: 'AU', admin1: 'Missouri' });
    expect(choosePlace(query('Springfield', 'MO'), [elsewhere]).kind).toBe('none');
  });

  test.each([
    ['Vancouver', 'BC', 'CA', 'British Columbia'],
    ['Montr\u00e9al', 'QC', 'CA', 'Qu\u00e9bec'],
    ['Sydney', 'NSW', 'AU', 'New South Wales'],
    ['Perth', 'WA', 'AU', 'Western Australia'],
    ['Ankara', 'Turkey', 'TR', 'Ankara'],
    ['Steinkjer', 'Trondelag', 'NO', 'Tr\u00f8ndelag'],
  ])('finds %s in %s', (name, qualifier, countryCode, admin1) => {
    const there = place('x', name, { countryCode, admin1 });
    const elsewhere = place('y', name, { countryCode: 'US', admin1: 'Washington, DC' });
    expect(choosePlace(query(name, qualifier), [elsewhere, there])).toMatchObject({
      kind: 'found',
      place: there,
    });
  });

  test('does not take a letter with a stroke for another name', () => {
    const city = place('a', '\u0141\u00f3d\u017a', { population: 700_000 });
    const hamlet = place('b', 'Lodz', { population: 30 });
    for (const name of ['Lodz', '\u0142\u00f3d\u017a'])
      expect(choosePlace(query(name), [hamlet, city])).toMatchObject({ place: city });
  });

  test('does not take an object property for a state', () => {
    expect(choosePlace(query('Springfield', 'constructor'), springfields).kind).toBe('none');
  });

  test('compares without accents, dots and hyphens', () => {
    const stEtienne = place('s', 'Saint-Étienne', { admin1: 'Auvergne-Rhône-Alpes' });
    expect(
      choosePlace(query('saint etienne', 'auvergne rhone alpes'), [
        stEtienne,
        place('t', 'Saint-Etienne-de-Tinee'),
      ]),
    ).toMatchObject({ place: stEtienne });
  });

  test('finds nothing among nothing', () => {
    expect(choosePlace(query('Atlantis'), [])).toEqual({ kind: 'none', elsewhere: [] });
  });
});
