/** Kinds of resources of a place or an area. */
export const RESOURCE_KINDS = ['current', 'forecast', 'alerts'] as const;
export type ResourceKind = (typeof RESOURCE_KINDS)[number];

export const WMO_CODES_URI = 'weather://reference/wmo-codes';

/** The parts of a URI of this server. */
export interface WeatherName {
  readonly kind: ResourceKind;
  /** City, or area for alerts; decoded. */
  readonly place: string;
}

/** Returns the parts of the URI of a place or an area; `undefined` for any other URI. */
export function parseWeatherUri(uri: string): WeatherName | undefined {
  const [, encoded = '', name] = /^weather:\/\/([^/?#]+)\/([a-z]+)$/i.exec(uri) ?? [];
  const kind = RESOURCE_KINDS.find((each) => each === name);
  if (kind === undefined) return undefined;
  try {
    return { kind, place: decodeURIComponent(encoded) };
  } catch {
    return undefined; // A percent sign that encodes nothing.
  }
}
