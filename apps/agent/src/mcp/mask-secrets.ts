import type { ServerConfig } from '../config/config.ts';

/** Shorter values are words like `true` or `8080`: masking them would hide the text and protect nothing. */
const MIN_LENGTH = 4;

/** Returns a function that replaces the values of the server's environment, and its other secrets, with `***`. */
export function secretMask(server: ServerConfig): (text: string) => string {
  const values = [...Object.values(server.env), ...(server.secrets ?? [])];
  const secrets = [...new Set(values)].filter((value) => value.length >= MIN_LENGTH).toSorted((left, right) => right.length - left.length);
  return (text) => secrets.reduce((masked, secret) => masked.replaceAll(secret, '***'), text);
}
