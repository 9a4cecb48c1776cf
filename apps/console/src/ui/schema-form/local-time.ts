/** Returns the value of a `datetime-local` input for a time in RFC 3339, in the zone of the reader, or `''` for another text. */
export function toLocalTime(text: string): string {
  const time = Date.parse(text);
  if (Number.isNaN(time)) return '';
  const shifted = new Date(time - new Date(time).getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 19);
}

/** Returns the time of a `datetime-local` input in UTC, as RFC 3339; `''` for an empty or incomplete input. */
export function fromLocalTime(input: string): string {
  const time = Date.parse(input);
  return Number.isNaN(time) ? '' : new Date(time).toISOString();
}
