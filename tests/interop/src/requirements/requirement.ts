import type { Era, ProtocolVersion } from '@signalbox/mcp-core';

export type Level = 'MUST' | 'SHOULD';
export type Side = 'client' | 'server';
export type Wire = 'stdio' | 'http' | 'legacy-sse';

/** A rule of the specification for programs, as one testable sentence. */
export interface Requirement {
  readonly level: Level;
  readonly sides: readonly Side[];
  readonly rule: string;
  /** The dated page of the newest revision with the rule. */
  readonly url: string;
  readonly versions: readonly ProtocolVersion[];
  /**
   * `any`: the wire makes no difference, one proof per era is enough; otherwise each wire needs its
   * own proof.
   */
  readonly on: 'any' | readonly Wire[];
  /** Reason why no program can check the rule; it is checked by reading. */
  readonly review?: string;
}

export type Chapter = { readonly [id: string]: Requirement };

export interface Place {
  /** Path and anchor below the dated root, or a whole URL. */
  readonly page: string;
  /** Default: every revision. */
  readonly versions?: readonly ProtocolVersion[];
  /** Default: stdio and Streamable HTTP. */
  readonly on?: 'any' | readonly Wire[];
}

const SITE = 'https://modelcontextprotocol.io/specification';

/** Oldest first. */
export const EVERY_VERSION = [
  '2024-11-05',
  '2025-03-26',
  '2025-06-18',
  '2025-11-25',
  '2026-07-28',
] as const satisfies readonly ProtocolVersion[];
export const LEGACY: readonly ProtocolVersion[] = EVERY_VERSION.slice(0, -1);
export const MODERN: readonly ProtocolVersion[] = ['2026-07-28'];
/** Revisions with Streamable HTTP and sessions. */
export const LEGACY_HTTP: readonly ProtocolVersion[] = LEGACY.slice(1);

export const STDIO: readonly Wire[] = ['stdio'];
export const HTTP: readonly Wire[] = ['http'];
export const LEGACY_SSE: readonly Wire[] = ['legacy-sse'];

/** Returns the revisions from one to the newest, or to the last legacy one. */
export function since(
  first: ProtocolVersion,
  last: 'modern' | 'legacy' = 'modern',
): readonly ProtocolVersion[] {
  return (last === 'modern' ? EVERY_VERSION : LEGACY).slice(EVERY_VERSION.indexOf(first));
}

export function must(sides: Side | 'both', rule: string, place: Place): Requirement {
  return requirement('MUST', sides, rule, place);
}

export function should(sides: Side | 'both', rule: string, place: Place): Requirement {
  return requirement('SHOULD', sides, rule, place);
}

/** Marks a rule as checked by reading; `why` is the reason why no program can check it. */
export function review(original: Requirement, why: string): Requirement {
  return { ...original, review: why };
}

export function eraOf(version: ProtocolVersion): Era {
  return MODERN.includes(version) ? 'modern' : 'legacy';
}

function requirement(
  level: Level,
  sides: Side | 'both',
  rule: string,
  { page, versions = EVERY_VERSION, on = ['stdio', 'http'] }: Place,
): Requirement {
  const url = page.startsWith('https:') ? page : `${SITE}/${versions.at(-1)}/${page}`;
  return {
    level,
    sides: sides === 'both' ? ['client', 'server'] : [sides],
    rule,
    url,
    versions,
    on,
  };
}
