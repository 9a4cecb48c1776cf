import type { PlaceQuery } from './parse-location.ts';

/**
 * Returns the town of a street address, such as "Berlin, Germany" for "Unter den Linden 77, 10117
 * Berlin, Germany"; `undefined` for a location that is no address. An address begins with a part that
 * has a word and a number, before other parts.
 */
export function localityOf({ name, qualifiers }: PlaceQuery): PlaceQuery | undefined {
  if (!/\p{L}/u.test(name) || !/\d/.test(name)) return undefined;
  const [town, ...others] = qualifiers.map(withoutPostalCode).filter((part) => part !== '');
  return town === undefined ? undefined : { kind: 'name', name: town, qualifiers: others };
}

/** Removes the words with digits: "10117 Berlin" becomes "Berlin", "DC 20500" becomes "DC". */
function withoutPostalCode(part: string): string {
  return part
    .split(' ')
    .filter((word) => !/\d/.test(word))
    .join(' ');
}
