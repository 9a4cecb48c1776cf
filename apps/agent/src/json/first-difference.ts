import { canonicalJson } from '@signalbox/mcp-core';
import { isPlainObject } from './plain-object.ts';

export interface Difference {
  /** Path such as `input[2].content`; empty if the values themselves differ. */
  readonly path: string;
  /** Truncated canonical JSON; undefined for a missing value. */
  readonly left: string | undefined;
  readonly right: string | undefined;
}

const MAX_CHARACTERS = 120;
/** Characters shown before the position where two texts diverge. */
const COMMON_CHARACTERS = 24;

/** Returns the first difference of two JSON values in canonical order, or undefined. */
export function firstDifference(left: unknown, right: unknown, path = ''): Difference | undefined {
  if (Array.isArray(left) && Array.isArray(right)) {
    for (let at = 0; at < Math.max(left.length, right.length); at += 1) {
      const found = firstDifference(left[at], right[at], `${path}[${at}]`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (isPlainObject(left) && isPlainObject(right)) {
    for (const name of [...new Set([...Object.keys(left), ...Object.keys(right)])].toSorted()) {
      const found = firstDifference(
        left[name],
        right[name],
        path === '' ? name : `${path}.${name}`,
      );
      if (found !== undefined) return found;
    }
    return undefined;
  }
  const [leftText, rightText] = [textOf(left), textOf(right)];
  if (leftText === rightText) return undefined;
  const start = Math.max(0, commonLength(leftText ?? '', rightText ?? '') - COMMON_CHARACTERS);
  return { path, left: cut(leftText, start), right: cut(rightText, start) };
}

function textOf(value: unknown): string | undefined {
  return value === undefined ? undefined : canonicalJson(value);
}

function commonLength(left: string, right: string): number {
  let length = 0;
  while (length < left.length && left[length] === right[length]) length += 1;
  return length;
}

function cut(text: string | undefined, start: number): string | undefined {
  if (text === undefined || text.length <= MAX_CHARACTERS) return text;
  const piece = text.slice(start, start + MAX_CHARACTERS);
  return `${start === 0 ? '' : '…'}${piece}${start + MAX_CHARACTERS < text.length ? '…' : ''}`;
}
