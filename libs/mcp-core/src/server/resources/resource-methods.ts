import { ErrorCode, ProtocolError } from '../../protocol/errors.ts';
import { HandlerContext } from '../requests/handler-context.ts';
import type { Method } from '../requests/method.ts';
import { readCursor, readString } from '../requests/read-params.ts';
import type { ResourceProvider } from './resource-provider.ts';

/** Returns the `resources/` methods of a provider. @see https://modelcontextprotocol.io/specification/2026-07-28/server/resources */
export function resourceMethods(resources: ResourceProvider): [string, Method][] {
  return [
    [
      'resources/list',
      async (request) => ({
        ...(await resources.list(readCursor(request.params), new HandlerContext(request))),
      }),
    ],
    [
      'resources/templates/list',
      async (request) => ({
        ...((await resources.listTemplates?.(
          readCursor(request.params),
          new HandlerContext(request),
        )) ?? { resourceTemplates: [] }),
      }),
    ],
    [
      'resources/read',
      async (request) => ({
        ...(await resources.read(readString(request.params, 'uri'), new HandlerContext(request))),
      }),
    ],
    ...(resources.subscribe === undefined ? [] : subscribeMethods()),
  ];
}

function subscribeMethods(): [string, Method][] {
  return [
    [
      'resources/subscribe',
      async (request, { watches }) => {
        const uri = readString(request.params, 'uri');
        if (watches === undefined)
          throw new ProtocolError(
            ErrorCode.invalidRequest,
            'Invalid request: a subscription needs a session, and this request has none',
          );
        await watches.add(uri, new HandlerContext(request));
        return {};
      },
    ],
    [
      'resources/unsubscribe',
      async (request, { watches }) => {
        await watches?.remove(readString(request.params, 'uri'));
        return {};
      },
    ],
  ];
}
