/**
 * Formats of a form field.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#stringschema
 */
const FORMATS: { readonly [format: string]: (text: string) => boolean } = {
  email: (text) =>
    text.length <= 254 &&
    /^[^\s@"(),:;<>[\\\]]{1,64}@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*$/u.test(text),
  uri: (text) =>
    /^[a-z][a-z\d+.-]*:[^\s<>"{}|\\^`]+$/iu.test(text) &&
    (!/^(?:https?|wss?|ftp):/iu.test(text) || URL.canParse(text)),
  date: isDate,
  'date-time': isDateTime,
};

/**
 * Whether a text has a format: `email`, `uri`, `date` or `date-time` (RFC 3339). Other formats accept
 * any text.
 */
export function hasFormat(text: string, format: unknown): boolean {
  return (
    typeof format !== 'string' ||
    !Object.hasOwn(FORMATS, format) ||
    FORMATS[format]?.(text) === true
  );
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/u.test(text)) return false;
  const midnight = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(text);
}

/** Whether a text is a date-time of RFC 3339; leap seconds are allowed. */
function isDateTime(text: string): boolean {
  const [, date = '', hours, minutes, seconds, offsetHours = '0', offsetMinutes = '0'] =
    /^(\d{4}-\d{2}-\d{2})[t ](\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:z|[+-](\d{2}):(\d{2}))$/iu.exec(
      text,
    ) ?? [];
  return (
    isDate(date) &&
    Number(hours) < 24 &&
    Number(minutes) < 60 &&
    Number(seconds) <= 60 &&
    Number(offsetHours) < 24 &&
    Number(offsetMinutes) < 60
  );
}
