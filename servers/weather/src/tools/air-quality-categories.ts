type Bands = readonly (readonly [upTo: number, name: string])[];

/** @see https://www.eea.europa.eu/themes/air/air-quality-index */
const EUROPEAN: Bands = [
  [20, 'good'],
  [40, 'fair'],
  [60, 'moderate'],
  [80, 'poor'],
  [100, 'very poor'],
  [Infinity, 'extremely poor'],
];

/** @see https://www.airnow.gov/aqi/aqi-basics/ */
const US: Bands = [
  [50, 'good'],
  [100, 'moderate'],
  [150, 'unhealthy for sensitive groups'],
  [200, 'unhealthy'],
  [300, 'very unhealthy'],
  [Infinity, 'hazardous'],
];

/** Returns the category of a European air quality index. */
export function europeanCategory(index: number | null): string {
  return categoryOf(index, EUROPEAN);
}

/** Returns the category of an air quality index of the United States. */
export function usCategory(index: number | null): string {
  return categoryOf(index, US);
}

function categoryOf(index: number | null, bands: Bands): string {
  if (index === null) return 'unknown';
  return bands.find(([upTo]) => index <= upTo)?.[1] ?? 'unknown';
}
