export interface Coordinates {
  readonly latitude: number;
  readonly longitude: number;
}

/**
 * Reads coordinates that carry marks of coordinates: `51.5° N, 0.1° W`, `N51.5 W0.1`,
 * `40°26'46"N 79°58'56"W`, `51.5 North, 0.1 West`, `lat 51.5, lon -0.1`, `51.5°, -0.1°`. Returns
 * `undefined` for any other text. Does not check the range.
 */
export function readNotation(text: string): Coordinates | undefined {
  const plain = withPlainMarks(text);
  const match = LABELED_PAIR.exec(plain) ?? PAIR.exec(plain);
  if (match === null) return undefined;
  const first = angleOf(match.slice(1, GROUPS + 1));
  const second = angleOf(match.slice(GROUPS + 1));
  if (first === undefined || second === undefined) return undefined;
  if (first.axis === 'longitude' && second.axis === 'latitude')
    return { latitude: second.degrees, longitude: first.degrees };
  const isNamed = first.axis === 'latitude' && second.axis === 'longitude';
  const isMarked = first.axis === 'unknown' && first.hasDegreeSign && second.hasDegreeSign;
  return isNamed || (isMarked && second.axis === 'unknown')
    ? { latitude: first.degrees, longitude: second.degrees }
    : undefined;
}

const LABEL = '(lat(?:itude)?|lon(?:g(?:itude)?)?|lng|[NSEW])\\s*[:=]?\\s*';
const NUMBER = '(\\d+(?:\\.\\d*)?|\\.\\d+)';
const MINUTES = `(?:${NUMBER}\\s*'\\s*(?:${NUMBER}\\s*"\\s*)?)?`;
const DEGREES = `([+-]?)${NUMBER}\\s*(?:(°)\\s*${MINUTES})?`;
const HEMISPHERE = '(north|south|east|west|[NSEW])';
const SEPARATOR = `(?:\\s*[,;]\\s*|\\s+|(?<=[NSEW°'"]))`;
const LABELED_PAIR = pairOf(`${LABEL}${DEGREES}()`);
const PAIR = pairOf(`()${DEGREES}${HEMISPHERE}?`);
/** Groups of one angle. */
const GROUPS = 7;

function pairOf(angle: string): RegExp {
  return new RegExp(`^${angle}${SEPARATOR}${angle}$`, 'i');
}

/** Replaces typographic minus, degree and prime marks. */
function withPlainMarks(text: string): string {
  return text
    .replaceAll('\u2212', '-')
    .replaceAll('º', '°')
    .replaceAll(/[′’]/g, "'")
    .replaceAll(/[″”]|''/g, '"');
}

interface Angle {
  readonly axis: 'latitude' | 'longitude' | 'unknown';
  readonly degrees: number;
  readonly hasDegreeSign: boolean;
}

/**
 * Returns the angle of the groups of a match; `undefined` for 60 minutes or seconds and more, and
 * for a negative number of degrees north or east.
 */
function angleOf(groups: readonly (string | undefined)[]): Angle | undefined {
  const [label, sign, degrees, degreeSign, minutes = '0', seconds = '0', hemisphere] = groups;
  if (Number(minutes) >= 60 || Number(seconds) >= 60) return undefined;
  const name = (label || hemisphere || '').toLowerCase();
  if (sign === '-' && /^[ne]/.test(name)) return undefined;
  const size = Number(degrees) + Number(minutes) / 60 + Number(seconds) / 3600;
  const isNegative = sign === '-' || /^[sw]/.test(name);
  return {
    axis: axisOf(name),
    degrees: (isNegative ? -1 : 1) * Number(size.toFixed(6)),
    hasDegreeSign: degreeSign !== undefined,
  };
}

function axisOf(name: string): Angle['axis'] {
  if (name === '') return 'unknown';
  return /^(?:lat|[ns])/.test(name) ? 'latitude' : 'longitude';
}
