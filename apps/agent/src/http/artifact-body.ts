import type { FastifyRequest } from 'fastify';
import { Problem } from './problem.ts';

/** Path whose requests have a text or a file instead of JSON as their body. */
const ARTIFACT_PATH = '/v1/artifacts';

const TEXT_TYPE =
  /^(?:text\/[\w.+-]{1,100}|application\/(?:[\w.-]{1,80}\+)?(?:json|xml|yaml|x-ndjson))$/;
const FILE_TYPE = /^(?:application|audio|font|image|model|video)\/[\w.+-]{1,100}$/;

export function takesArtifact({ routeOptions }: Pick<FastifyRequest, 'routeOptions'>): boolean {
  return routeOptions.url === ARTIFACT_PATH;
}

/**
 * Returns the media type of the body of an upload, without parameters.
 * @throws Problem `unsupported_media_type`
 */
export function artifactType({ headers }: Pick<FastifyRequest, 'headers'>): string {
  const [type = '', ...parameters] = (headers['content-type'] ?? '')
    .split(';')
    .map((part) => part.trim().toLowerCase());
  const charset = parameters.find((each) => each.startsWith('charset='));
  const isUtf8 = charset === undefined || /^charset="?utf-8"?$/.test(charset);
  if (TEXT_TYPE.test(type) ? isUtf8 : FILE_TYPE.test(type)) return type;
  throw new Problem(
    'unsupported_media_type',
    "send the content of one file with its media type, such as 'content-type: text/plain' or 'content-type: image/png'; texts are in UTF-8",
  );
}

/**
 * Parses the body of an upload: a text to a string, another file to a Buffer.
 * @throws Problem `unsupported_media_type`, and `invalid_request` when a text is not in UTF-8
 */
export function parseArtifact(request: FastifyRequest, body: Buffer): string | Buffer {
  if (!TEXT_TYPE.test(artifactType(request))) return body;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    throw new Problem('invalid_request', 'the body is not text in UTF-8');
  }
}
