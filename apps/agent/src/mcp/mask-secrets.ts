import { isRemote, type ServerConfig } from '../config/config.ts';

/** Minimum length of a masked secret. Shorter values such as `true` or `8080` are common words. */
const MIN_LENGTH = 4;

/**
 * Minimum length of a secret whose encodings are masked too. Shorter ones would match other texts.
 */
const MIN_ENCODED_LENGTH = 8;

/**
 * Returns a function that replaces the server's secrets, including the values of its environment or
 * headers, with `***`: as plain text, percent-encoded, in hex and in base64, also within longer
 * base64 text.
 */
export function secretMask(server: ServerConfig): (text: string) => string {
  const values = [
    ...(isRemote(server) ? remoteSecrets(server.url, server.headers) : Object.values(server.env)),
    ...(server.secrets ?? []),
  ];
  const plain = values.filter((value) => value.length >= MIN_LENGTH);
  const secrets = [
    ...new Set([
      ...plain,
      ...plain.filter((value) => value.length >= MIN_ENCODED_LENGTH).flatMap(encodings),
    ]),
  ].toSorted((left, right) => right.length - left.length);
  return (text) => secrets.reduce((masked, secret) => masked.replaceAll(secret, '***'), text);
}

function encodings(value: string): readonly string[] {
  const bytes = Buffer.from(value);
  const hex = bytes.toString('hex');
  return [
    encodeURIComponent(value),
    hex,
    hex.toUpperCase(),
    ...[0, 1, 2].flatMap((before) => [
      base64Of(bytes, before, 'base64'),
      base64Of(bytes, before, 'base64url'),
    ]),
  ];
}

/**
 * Returns the base64 characters that depend on `bytes` alone when `before` bytes (modulo 3) precede
 * them.
 */
function base64Of(bytes: Buffer, before: number, encoding: 'base64' | 'base64url'): string {
  const text = Buffer.concat([Buffer.alloc(before), bytes])
    .toString(encoding)
    .replace(/=+$/, '');
  const end = (before + bytes.length) % 3 === 0 ? text.length : text.length - 1;
  return text.slice(before === 0 ? 0 : before + 1, end);
}

/** Returns a header such as `Bearer abc` as a whole and in parts. */
function remoteSecrets(
  url: string,
  headers: { readonly [name: string]: string },
): readonly string[] {
  const { search = '' } = URL.parse(url) ?? {};
  const query = search
    .slice(1)
    .split('&')
    .map((parameter) => parameter.slice(parameter.indexOf('=') + 1));
  const parts = Object.values(headers).flatMap((value) => [
    value,
    ...value.split(/[\s,;=]+/).filter((part) => !SCHEMES.test(part)),
  ]);
  return [...query, ...new URLSearchParams(search).values(), ...parts];
}

const SCHEMES = /^(?:basic|bearer|digest|token|apikey|negotiate)$/i;
