import { isRemote, type ServerConfig } from '../config/config.ts';

/** Shorter values are words like `true` or `8080`: masking them would hide the text and protect nothing. */
const MIN_LENGTH = 4;

/** Returns a function that replaces the values of the server's environment or headers, and its other secrets, with `***`. */
export function secretMask(server: ServerConfig): (text: string) => string {
  const values = [...(isRemote(server) ? remoteSecrets(server.url, server.headers) : Object.values(server.env)), ...(server.secrets ?? [])];
  const secrets = [...new Set(values)].filter((value) => value.length >= MIN_LENGTH).toSorted((left, right) => right.length - left.length);
  return (text) => secrets.reduce((masked, secret) => masked.replaceAll(secret, '***'), text);
}

/** A header such as `Bearer abc` is a secret as a whole and in its parts. */
function remoteSecrets(url: string, headers: { readonly [name: string]: string }): readonly string[] {
  const { search = '' } = URL.parse(url) ?? {};
  const query = search.slice(1).split('&').map((parameter) => parameter.slice(parameter.indexOf('=') + 1));
  const parts = Object.values(headers).flatMap((value) => [value, ...value.split(/[\s,;=]+/).filter((part) => !SCHEMES.test(part))]);
  return [...query, ...new URLSearchParams(search).values(), ...parts];
}

const SCHEMES = /^(?:basic|bearer|digest|token|apikey|negotiate)$/i;
