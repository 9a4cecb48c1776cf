import { serveHttp, type Authenticate, type HttpListener } from '@signalbox/mcp-core/http/server';
import { createNotesServer, type NotesServerOptions } from './notes-server.ts';

/** Serves notes on a port of this machine. Each token belongs to a caller. */
export function serveNotes(
  callers: ReadonlyMap<string, string>,
  options: NotesServerOptions,
): Promise<HttpListener> {
  const authenticate: Authenticate = ({ authorization = '' }) => {
    const principal = callers.get(String(authorization).replace(/^Bearer /u, ''));
    return principal === undefined ? { refused: 401 } : { auth: { principal } };
  };
  return serveHttp(createNotesServer(options), { access: { authenticate } });
}
