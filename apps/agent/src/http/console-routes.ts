import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ConsoleFiles } from './console-files.ts';
import { isKnown } from './etag.ts';
import { Problem } from './problem.ts';
import type { HttpApp } from './route.ts';

/** First segments of the addresses of the pages. A page may have further segments. */
const PAGES = ['overview', 'runs', 'inbox', 'servers', 'threads', 'agents'];

/** Headers of every file. */
const HEADERS = {
  // Pages get data only from the API of the same origin. Scripts are never inline, and no text becomes markup.
  'content-security-policy': [
    "default-src 'self'",
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'referrer-policy': 'no-referrer',
  vary: 'accept-encoding',
};
const IMMUTABLE = 'public, max-age=31536000, immutable';

/**
 * Serves the web console: its files, and its page at every address of a page. The files are open to all; the page asks for a
 * token when the API needs one.
 */
export function consoleRoutes(app: HttpApp, files: ConsoleFiles): void {
  const open = { schema: { hide: true }, config: { isOpenToAll: true } };

  const send = async (
    request: FastifyRequest,
    reply: FastifyReply,
    path: string,
  ): Promise<FastifyReply> => {
    const file = await files.read(path, request.headers['accept-encoding']);
    if (file === undefined) throw new Problem('route_not_found', `${request.url} does not exist`);
    reply
      .headers(HEADERS)
      .header('cache-control', path.startsWith('assets/') ? IMMUTABLE : 'no-cache');
    if (isKnown(request, reply, file.etag)) return reply.code(304).send();
    if (file.encoding !== undefined) reply.header('content-encoding', file.encoding);
    return reply.type(file.type).send(file.content);
  };

  const sendPage = (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (acceptsHtml(request)) return send(request, reply, 'index.html');
    throw new Problem(
      'route_not_found',
      `${request.url} is a page for browsers; /openapi.json lists the endpoints`,
    );
  };

  app.get('/', open, (request, reply) => send(request, reply, 'index.html'));
  for (const page of PAGES) {
    app.get(`/${page}`, open, sendPage);
    app.get(`/${page}/*`, open, sendPage);
  }
  app.get('/favicon.svg', open, (request, reply) => send(request, reply, 'favicon.svg'));
  app.get<{ Params: { readonly file: string } }>('/assets/:file', open, (request, reply) =>
    send(request, reply, `assets/${request.params.file}`),
  );
}

function acceptsHtml({ headers }: FastifyRequest): boolean {
  return /\b(?:text\/html|application\/xhtml\+xml)\b/.test(headers.accept ?? '');
}
