import type { FastifyInstance } from 'fastify';
import { findJsonProblem } from '../json/json-text.ts';
import { hasNoBody } from './edge.ts';
import { Problem } from './problem.ts';

/**
 * Parses `application/json` bodies; an empty body is `{}`. Reports a syntax error with its line and
 * column.
 */
export function parseJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addHook('preValidation', async (request) => {
    if (request.method === 'POST' && hasNoBody(request)) request.body = {};
  });
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    const text = body.toString();
    const wrong = text.trim() === '' ? undefined : findJsonProblem(text);
    if (wrong !== undefined) {
      done(
        new Problem(
          'invalid_json',
          `line ${wrong.line}, column ${wrong.column} of the body: ${wrong.problem}`,
        ),
      );
      return;
    }
    done(null, text.trim() === '' ? {} : JSON.parse(text));
  });
}
