import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from './problem.ts';

/** Paths whose requests have a text instead of JSON as their body. */
const TEXT_PATHS: ReadonlySet<string> = new Set(['/v1/artifacts']);

const TEXT_TYPE = /^text\/[\w.+-]{1,100}$/;

export function takesText({ routeOptions }: Pick<FastifyRequest, 'routeOptions'>): boolean {
  return TEXT_PATHS.has(routeOptions.url ?? '');
}

/**
 * Returns the media type of a text body, without parameters.
 * @throws Problem `unsupported_media_type`
 */
export function textType({ headers }: Pick<FastifyRequest, 'headers'>): string {
  const [type = '', ...parameters] = (headers['content-type'] ?? '')
    .split(';')
    .map((part) => part.trim().toLowerCase());
  const charset = parameters.find((each) => each.startsWith('charset='));
  if (TEXT_TYPE.test(type) && (charset === undefined || /^charset="?utf-8"?$/.test(charset)))
    return type;
  throw new Problem(
    'unsupported_media_type',
    "send a text in UTF-8 with a header like 'content-type: text/plain'; other files are not supported",
  );
}

/** Parses `text/…` bodies as UTF-8. */
export function parseTextBodies(app: FastifyInstance): void {
  app.addContentTypeParser(/^text\//, { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body as Buffer));
    } catch {
      done(new Problem('invalid_request', 'the body is not text in UTF-8'));
    }
  });
}
