import type { Era, ProtocolVersion } from '@signalbox/mcp-core';

export type Level = 'MUST' | 'SHOULD';
export type Side = 'client' | 'server';
export type Wire = 'stdio' | 'http' | 'legacy-sse';

/** One rule of the specification that binds a program, as one sentence that a test can check. */
export interface Requirement {
  readonly level: Level;
  readonly sides: readonly Side[];
  readonly rule: string;
  /** The dated page, of the newest revision that has the rule. */
  readonly url: string;
  readonly versions: readonly ProtocolVersion[];
  /** `any`: the wire changes nothing, one proof for each era is enough; else each wire needs its own. */
  readonly on: 'any' | readonly Wire[];
  /** Why no program can check the rule; it is checked by reading. */
  readonly review?: string;
}

export type Chapter = { readonly [id: string]: Requirement };

export interface Place {
  /** Path and anchor below the dated root, or a whole address. */
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
/** Streamable HTTP with sessions. */
export const LEGACY_HTTP: readonly ProtocolVersion[] = LEGACY.slice(1);

export const STDIO: readonly Wire[] = ['stdio'];
export const HTTP: readonly Wire[] = ['http'];
export const LEGACY_SSE: readonly Wire[] = ['legacy-sse'];

/** From a revision to the newest, or to the last legacy one. */
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

/** A rule that is checked by reading; `why` says what keeps a program from it. */
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
