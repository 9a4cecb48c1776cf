import { LocalError } from '../../protocol/errors.ts';

/**
 * Returns the URL of an MCP server.
 * @throws LocalError `invalid-argument`
 */
export function parseServerUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new LocalError(
      'invalid-argument',
      'The URL of an MCP server must be absolute and begin with http: or https:.',
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw new LocalError(
      'invalid-argument',
      'The URL of an MCP server must not contain credentials; send them as a header.',
    );
  }
  return url;
}
