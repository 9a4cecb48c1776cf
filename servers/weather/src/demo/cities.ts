import type { Place } from '../provider.ts';

/** Two Springfields show what happens when a name is not enough. */
export const demoCities: readonly Place[] = (
  [
    ['Amsterdam', 'North Holland', 'Netherlands', 'NL', 52.37, 4.89, 'Europe/Amsterdam', 741_636],
    ['Berlin', 'Berlin', 'Germany', 'DE', 52.52, 13.41, 'Europe/Berlin', 3_426_354],
    ['Buenos Aires', 'Buenos Aires F.D.', 'Argentina', 'AR', -34.61, -58.38, 'America/Argentina/Buenos_Aires', 2_891_082],
    ['Cairo', 'Cairo', 'Egypt', 'EG', 30.06, 31.25, 'Africa/Cairo', 9_606_916],
    ['Cape Town', 'Western Cape', 'South Africa', 'ZA', -33.93, 18.42, 'Africa/Johannesburg', 4_772_846],
    ['Delhi', 'Delhi', 'India', 'IN', 28.65, 77.23, 'Asia/Kolkata', 11_034_555],
    ['Hamburg', 'Hamburg', 'Germany', 'DE', 53.55, 9.99, 'Europe/Berlin', 1_845_229],
    ['Lisbon', 'Lisbon', 'Portugal', 'PT', 38.72, -9.13, 'Europe/Lisbon', 517_802],
    ['London', 'England', 'United Kingdom', 'GB', 51.51, -0.13, 'Europe/London', 8_961_989],
    ['Madrid', 'Madrid', 'Spain', 'ES', 40.42, -3.7, 'Europe/Madrid', 3_255_944],
    ['Mexico City', 'Mexico City', 'Mexico', 'MX', 19.43, -99.13, 'America/Mexico_City', 12_294_193],
    ['Munich', 'Bavaria', 'Germany', 'DE', 48.14, 11.58, 'Europe/Berlin', 1_260_391],
    ['Nairobi', 'Nairobi County', 'Kenya', 'KE', -1.28, 36.82, 'Africa/Nairobi', 4_397_073],
    ['New York', 'New York', 'United States', 'US', 40.71, -74.01, 'America/New_York', 8_804_190],
    ['Oslo', 'Oslo', 'Norway', 'NO', 59.91, 10.75, 'Europe/Oslo', 717_710],
    ['Paris', 'Île-de-France', 'France', 'FR', 48.85, 2.35, 'Europe/Paris', 2_138_551],
    ['Reykjavik', 'Capital Region', 'Iceland', 'IS', 64.14, -21.9, 'Atlantic/Reykjavik', 118_918],
    ['Rome', 'Lazio', 'Italy', 'IT', 41.89, 12.51, 'Europe/Rome', 2_318_895],
    ['San Francisco', 'California', 'United States', 'US', 37.77, -122.42, 'America/Los_Angeles', 873_965],
    ['Singapore', undefined, 'Singapore', 'SG', 1.29, 103.85, 'Asia/Singapore', 5_638_700],
    ['Springfield', 'Illinois', 'United States', 'US', 39.8, -89.64, 'America/Chicago', 114_394],
    ['Springfield', 'Missouri', 'United States', 'US', 37.22, -93.3, 'America/Chicago', 169_176],
    ['Sydney', 'New South Wales', 'Australia', 'AU', -33.87, 151.21, 'Australia/Sydney', 4_627_345],
    ['Tokyo', 'Tokyo', 'Japan', 'JP', 35.69, 139.69, 'Asia/Tokyo', 9_733_276],
    ['Toronto', 'Ontario', 'Canada', 'CA', 43.7, -79.42, 'America/Toronto', 2_794_356],
  ] as const
).map(([name, admin1, country, countryCode, latitude, longitude, timezone, population], index) => ({
  id: `geo:${index + 1}`,
  name,
  ...(admin1 === undefined ? {} : { admin1 }),
  country,
  countryCode,
  regions: admin1 === undefined ? [] : [admin1],
  latitude,
  longitude,
  timezone,
  population,
  precision: 'place',
}));
