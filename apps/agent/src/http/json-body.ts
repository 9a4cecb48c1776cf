import type { FastifyInstance } from 'fastify';
import { Problem } from './problem.ts';

/** Parses `application/json` bodies; an empty one is `{}`. A syntax error is answered with its line and column. */
export function parseJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    const text = body.toString();
    if (text.trim() === '') {
      done(null, {});
      return;
    }
    try {
      done(null, JSON.parse(text));
    } catch (error) {
      done(new Problem('invalid_json', describe(text, error)));
    }
  });
}

function describe(text: string, error: unknown): string {
  const reason = error instanceof Error ? error.message : 'not JSON';
  const position = /position (\d+)/.exec(reason)?.[1];
  if (position === undefined) return reason;
  const before = text.slice(0, Number(position)).split('\n');
  return `${reason.replace(/ in JSON at position.*$/, '')} at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1} of the body`;
}
