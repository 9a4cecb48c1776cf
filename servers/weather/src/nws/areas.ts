/**
 * Areas of the alerts of the National Weather Service: states, territories and marine areas. @see
 * https://www.weather.gov/documentation/services-web-api
 */
export const NWS_AREAS: ReadonlyMap<string, string> = new Map(
  `AL Alabama;AK Alaska;AZ Arizona;AR Arkansas;CA California;CO Colorado;CT Connecticut;DE Delaware
DC District of Columbia;FL Florida;GA Georgia;HI Hawaii;ID Idaho;IL Illinois;IN Indiana;IA Iowa
KS Kansas;KY Kentucky;LA Louisiana;ME Maine;MD Maryland;MA Massachusetts;MI Michigan;MN Minnesota
MS Mississippi;MO Missouri;MT Montana;NE Nebraska;NV Nevada;NH New Hampshire;NJ New Jersey
NM New Mexico;NY New York;NC North Carolina;ND North Dakota;OH Ohio;OK Oklahoma;OR Oregon
PA Pennsylvania;RI Rhode Island;SC South Carolina;SD South Dakota;TN Tennessee;TX Texas;UT Utah
VT Vermont;VA Virginia;WA Washington;WV West Virginia;WI Wisconsin;WY Wyoming
AS American Samoa;GU Guam;MP Northern Mariana Islands;PR Puerto Rico;VI Virgin Islands
AM Atlantic, south;AN Atlantic, north;GM Gulf of Mexico;LC Lake St. Clair;LE Lake Erie
LH Lake Huron;LM Lake Michigan;LO Lake Ontario;LS Lake Superior;PH Hawaiian waters
PK Alaskan waters;PM Mariana waters;PS Samoan waters;PZ Pacific coast;SL St. Lawrence River`
    .split(/[;\n]/)
    .map((entry) => [entry.slice(0, 2), entry.slice(3)]),
);

/** Returns the codes that begin with the typed text, or whose names do, sorted. */
export function completeArea(typed: string): readonly string[] {
  const wanted = typed.trim().toLowerCase();
  return [...NWS_AREAS]
    .filter(
      ([code, name]) =>
        code.toLowerCase().startsWith(wanted) || name.toLowerCase().startsWith(wanted),
    )
    .map(([code]) => code)
    .toSorted();
}
