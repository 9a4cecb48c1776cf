/** Header fields by lower-case name. */
export interface HttpHeaders {
  readonly [name: string]: string | readonly string[] | undefined;
}

/** Returns the value of a field that may occur once, without surrounding white space. */
export function headerOf(headers: HttpHeaders, name: string): string | undefined {
  const value = headers[name];
  if (typeof value === 'string') return value.trim();
  return value === undefined ? undefined : value.join(', ');
}
