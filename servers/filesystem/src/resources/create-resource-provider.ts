import path from 'node:path';
import { isInside, PathError, type Sandbox, toPathError } from '@signalbox/file-sandbox';
import { ErrorCode, ProtocolError, ResourceNotFoundError } from '@signalbox/mcp-core';
import type { RequestContext, ResourceProvider } from '@signalbox/mcp-core/server';
import type { Limits } from '../files/limits.ts';
import type { SessionSandbox } from '../session/session-sandbox.ts';
import type { RunningCalls } from '../tools/running-calls.ts';
import { completePath } from './complete-path.ts';
import { listResources } from './list-resources.ts';
import { readResourceContents } from './read-resource.ts';
import { NameCache } from './name-cache.ts';
import { pathOfTemplateValue, pathOfUri, templateValueOf } from './resource-uri.ts';
import type { Watchers, WatchTarget } from './watchers.ts';

export interface ResourceProviderOptions {
  readonly session: SessionSandbox;
  readonly limits: Limits;
  readonly watchers: Watchers;
  /** Running calls of the whole server. */
  readonly calls: RunningCalls;
  /** Notifies the subscribers of this connection. */
  readonly updated: (uri: string) => void;
}

/**
 * Provides the allowed directories as `file://` resources. Contents are private to the client and
 * never cached. A subscription is authorized before a watch begins, and again before each
 * notification.
 */
export function createResourceProvider(options: ResourceProviderOptions): ResourceProvider {
  const { session, limits, watchers, calls, updated } = options;
  const subscriptions = new Map<string, Subscription>();
  const names = new NameCache();
  const subscribe = async (uri: string, context: RequestContext) => {
    const subscription = subscriptions.get(uri) ?? { count: 0, stop: undefined };
    subscriptions.set(uri, subscription);
    subscription.count++;
    const detach = async () => {
      if (--subscription.count > 0) return;
      subscriptions.delete(uri);
      const stop = await subscription.stop?.catch(() => undefined);
      stop?.();
    };
    try {
      const target = await watchTarget(await session.forConnection(context), uri);
      const onChange = () => {
        void isStillAllowed(() => session.forConnection(context), target.realPath).then(
          (isAllowed) => isAllowed && updated(uri),
        );
      };
      subscription.stop ??= watchers.watch(target, onChange);
      await subscription.stop;
    } catch (error) {
      await detach();
      throw error;
    }
    return once(detach);
  };
  return {
    async list(cursor, context) {
      return atBoundary(undefined, async () => {
        const sandbox = await session.forConnection(context);
        return {
          ...(await listResources(sandbox, cursor, { signal: context.signal, names })),
          ...privateNow,
        };
      });
    },
    complete: async ({ uriTemplate, name, value }, { context }) => {
      if (uriTemplate !== template.uriTemplate || name !== 'path')
        throw new ProtocolError(
          ErrorCode.invalidParams,
          `Invalid params: the only template is ${template.uriTemplate}`,
        );
      const sandbox = await session.forCompletion(context);
      const { values, ...rest } = await completePath(
        sandbox,
        pathOfTemplateValue(value),
        context.signal,
      );
      return { ...rest, values: values.map(templateValueOf) };
    },
    listTemplates: async () => Promise.resolve({ resourceTemplates: [template], ...privateNow }),
    async read(uri, context) {
      return atBoundary(uri, async () => {
        const sandbox = await session.forRequest(context);
        await using pinned = await sandbox.pin(pathOfUri(uri));
        const contents = await calls.run([context.signal, sandbox.revoked], (signal) =>
          readResourceContents(pinned, { uri, sandbox, limits, signal }),
        );
        return { contents, ...privateNow };
      });
    },
    ...(watchers.isOff
      ? {}
      : {
          subscribe: (uri: string, context: RequestContext) =>
            atBoundary(uri, () => subscribe(uri, context)),
        }),
  };
}

const privateNow = { ttlMs: 0, cacheScope: 'private' } as const;

const template = {
  uriTemplate: 'file:///{+path}',
  name: 'file',
  title: 'File or directory',
  description:
    'A file below an allowed directory, as text or base64; of a directory its entries as JSON and then its text files.',
};

/**
 * The watch of one URI, shared by all streams of the connection: each published update reaches all
 * of them.
 */
interface Subscription {
  count: number;
  stop: Promise<() => void> | undefined;
}

/** Returns the path to watch; the file itself may be missing. A URI with a `/` at its end stands for a directory and everything below it. */
async function watchTarget(sandbox: Sandbox, uri: string): Promise<WatchTarget> {
  const { directory, missing } = await sandbox.nearest(pathOfUri(uri));
  await using found = directory;
  const isFile = missing.length === 0 && found.stats.isFile();
  if (!isFile && !found.stats.isDirectory()) throw new ResourceNotFoundError(uri);
  const realPath = path.join(found.realPath, ...missing);
  const within =
    sandbox.directories.find((allowed) => isInside(realPath, allowed.realPath))?.realPath ??
    realPath;
  // Only the directory of a single allowed file reports that the file was replaced.
  const place = {
    realPath,
    within: isFile && within === realPath ? path.dirname(realPath) : within,
  };
  const isTree = !isFile && uri.endsWith('/');
  if (!sandbox.hasDenied) return { ...place, isTree };
  return {
    ...place,
    isTree,
    isHidden: (hidden) => sandbox.isDenied(hidden),
    // What is denied depends on the directories that a denied path is relative to.
    scope: sandbox.directories.map((allowed) => allowed.realPath).join('\n'),
  };
}

/**
 * Whether a path is still allowed: the roots may have changed, or a directory above may have become
 * a link.
 */
async function isStillAllowed(
  sandboxNow: () => Promise<Sandbox>,
  target: string,
): Promise<boolean> {
  try {
    const sandbox = await sandboxNow();
    const { directory, missing } = await sandbox.nearest(target);
    await using found = directory;
    return path.join(found.realPath, ...missing) === target;
  } catch {
    return false;
  }
}

/** Maps errors to protocol errors. Paths outside and missing paths get the same error. */
async function atBoundary<T>(uri: string | undefined, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const failure = toPathError(error, uri ?? 'the resource');
    if (!(failure instanceof PathError)) throw failure;
    if (uri !== undefined && (failure.reason === 'outside' || failure.reason === 'not-found'))
      throw new ResourceNotFoundError(uri);
    // Without `data.uri`: with it, -32602 means "not found" to a modern client.
    throw new ProtocolError(
      failure.reason === 'io' ? ErrorCode.internalError : ErrorCode.invalidParams,
      failure.message,
      { cause: failure },
    );
  }
}

function once(run: () => Promise<void>): () => Promise<void> {
  let result: Promise<void> | undefined;
  return () => (result ??= run());
}
