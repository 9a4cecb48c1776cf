import { isPlainObject } from './plain-object.ts';

/** Maximum JSON characters that a list shows in full. */
export const MAX_LISTED_CHARACTERS = 4096;

/** Characters that a list shows of a long text. */
const SHOWN_CHARACTERS = 500;

export interface Shortened<T> {
  readonly value: T;
  readonly isShortened: boolean;
}

/**
 * Shortens a JSON object for a list: truncates long texts and empties long lists and objects,
 * without changing types.
 */
export function shortenObject(value: {
  readonly [name: string]: unknown;
}): Shortened<{ readonly [name: string]: unknown }> {
  if (JSON.stringify(value).length <= MAX_LISTED_CHARACTERS) return { value, isShortened: false };
  return {
    value: Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, shortenMember(member)]),
    ),
    isShortened: true,
  };
}

/** Truncates a text for a list. */
export function shortenText(text: string): Shortened<string> {
  if (text.length <= SHOWN_CHARACTERS * 2) return { value: text, isShortened: false };
  return { value: `${text.slice(0, SHOWN_CHARACTERS * 2).toWellFormed()}…`, isShortened: true };
}

function shortenMember(member: unknown): unknown {
  if (typeof member === 'string')
    return member.length <= SHOWN_CHARACTERS
      ? member
      : `${member.slice(0, SHOWN_CHARACTERS).toWellFormed()}…`;
  if (
    typeof member !== 'object' ||
    member === null ||
    JSON.stringify(member).length <= SHOWN_CHARACTERS
  )
    return member;
  return isPlainObject(member) ? {} : [];
}
