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
      takesArtifact(request) ? parseArtifact(request, body) : parseJson(body.toString()),
  );
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
