import { usStates } from './us-states.ts';

const provinces: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    ab: ['alberta'],
    bc: ['british columbia'],
    mb: ['manitoba'],
    nb: ['new brunswick'],
    nl: ['newfoundland and labrador'],
    ns: ['nova scotia'],
    nt: ['northwest territories'],
    nu: ['nunavut'],
    on: ['ontario'],
    pe: ['prince edward island'],
    qc: ['quebec'],
    sk: ['saskatchewan'],
    yt: ['yukon'],
  }),
);

const australianStates: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    act: ['australian capital territory'],
    nsw: ['new south wales'],
    nt: ['northern territory'],
    qld: ['queensland'],
    sa: ['south australia'],
    tas: ['tasmania'],
    vic: ['victoria'],
    wa: ['western australia'],
  }),
);

/** Postal abbreviations of regions by country, with the folded names that a geocoder may use. */
const regionCodes = new Map([
  ['us', usStates],
  ['ca', provinces],
  ['au', australianStates],
]);

/** Returns the folded names of the region that a postal abbreviation means in a country. */
export function regionsOfCode(countryCode: string | undefined, code: string): readonly string[] {
  return regionCodes.get(countryCode ?? '')?.get(code) ?? [];
}
