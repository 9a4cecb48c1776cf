import { isRemote, type ServerConfig } from '../config/config.ts';

/** Shorter values are words like `true` or `8080`: masking them would hide the text and protect nothing. */
const MIN_LENGTH = 4;

/** Shorter values have encodings that other texts have, too. */
const MIN_ENCODED_LENGTH = 8;

/** Returns a function that replaces the values of the server's environment or headers, and its other secrets, with `***`: as they are, percent-encoded, in hex and in base64, also as a part of a longer base64 text. */
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

/** The characters that stand for the bytes alone where `before` bytes (modulo 3) come first: the first and the last of the others depend on what is around them. */
function base64Of(bytes: Buffer, before: number, encoding: 'base64' | 'base64url'): string {
  const text = Buffer.concat([Buffer.alloc(before), bytes])
    .toString(encoding)
    .replace(/=+$/, '');
  const end = (before + bytes.length) % 3 === 0 ? text.length : text.length - 1;
  return text.slice(before === 0 ? 0 : before + 1, end);
}

/** A header such as `Bearer abc` is a secret as a whole and in its parts. */
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
