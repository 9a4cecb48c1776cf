import type { FastifyInstance, FastifyRequest } from 'fastify';
import { findJsonProblem } from '../json/json-text.ts';
import { parseArtifact, takesArtifact } from './artifact-body.ts';
import { hasNoBody } from './edge.ts';
import { Problem } from './problem.ts';

/** Parses the bodies of requests: JSON, of which an empty body is `{}`, and the files of uploads. */
export function parseBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addHook('preValidation', async (request) => {
    if (request.method === 'POST' && hasNoBody(request)) request.body = {};
  });
  // Content types are checked before bodies are read.
  app.addContentTypeParser(
    '*',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) =>
      takesArtifact(request) ? parseArtifact(request, body) : parseJson(decode(body)),
  );
}

/**
 * Returns the text of a body, without a byte order mark.
 * @throws Problem `invalid_json` when it is not in UTF-8
 */
function decode(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw new Problem('invalid_json', 'the body is not text in UTF-8');
  }
}

/** @throws Problem `invalid_json` with the line and column of a syntax error */
function parseJson(text: string): unknown {
  if (text.trim() === '') return {};
  const wrong = findJsonProblem(text);
  if (wrong === undefined) return JSON.parse(text);
  throw new Problem(
    'invalid_json',
    `line ${wrong.line}, column ${wrong.column} of the body: ${wrong.problem}`,
  );
}
