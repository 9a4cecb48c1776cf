/** Returns the address of a database without user, password and options, for texts. */
export function describeDatabase(url: string): string {
  const parsed = URL.parse(url);
  return parsed === null
    ? 'the database of DATABASE_URL'
    : `postgres://${parsed.host}${parsed.pathname}`;
}
