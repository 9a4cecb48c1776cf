import { createHash } from 'node:crypto';
import { canonicalJson } from '@signalbox/mcp-core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import type { Check } from '../ports/run-engine.ts';
import { Problem } from './problem.ts';

/** Headers of a GET of a resource with an entity tag. */
export const TagHeaders = z.looseObject({
  'if-none-match': z
    .string()
    .optional()
    .describe(
      '`ETag` of a response; if the resource is unchanged, the answer is 304 without a body',
    ),
});

/** Headers of a change of a resource with an entity tag. */
export const MatchHeaders = z.looseObject({
  'if-match': z
    .string()
    .optional()
    .describe('`ETag` of a response; if the resource has changed since, nothing is done (412)'),
});

/** Returns the strong entity tag of a value. @see https://www.rfc-editor.org/rfc/rfc9110#section-8.8.3 */
export function tagOf(value: unknown): string {
  const digest = createHash('sha256').update(canonicalJson(value)).digest('base64url');
  return `"${digest.slice(0, 22)}"`;
}

/** Sets the tag of the response. Returns whether the client has this state already; the answer is then 304. */
export function isKnown(request: FastifyRequest, reply: FastifyReply, tag: string): boolean {
  reply.header('etag', tag);
  // The weak comparison ignores the mark of weak tags.
  const known = tagsIn(request, 'if-none-match').map((each) => each.replace(/^W\//, ''));
  return known.includes('*') || known.includes(tag);
}

/**
 * Returns the check of `If-Match`, to be called in the transaction of the change. Undefined without
 * the header.
 */
export function matchCheck<T>(
  request: FastifyRequest,
  tagOfCurrent: (current: T) => string,
): Check<T> | undefined {
  const tags = tagsIn(request, 'if-match');
  if (tags.length === 0 || tags.includes('*')) return undefined;
  return (current) => {
    const tag = tagOfCurrent(current);
    if (!tags.includes(tag))
      throw new Problem(
        'precondition_failed',
        `the resource has changed: its ETag is ${tag}; get it again and repeat the change`,
      );
  };
}

/** Whether a header has the value `*`, which stands for any resource. */
export function hasAnyTag(request: FastifyRequest, name: 'if-match' | 'if-none-match'): boolean {
  return tagsIn(request, name).includes('*');
}

function tagsIn(
  { headers }: FastifyRequest,
  name: 'if-match' | 'if-none-match',
): readonly string[] {
  return (headers[name] ?? '').match(/\*|(?:W\/)?"[^"]*"|[^\s,]+/g) ?? [];
}
