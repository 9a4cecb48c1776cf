import { MetaKey } from '../../era/meta-keys.ts';
import { isJsonObject } from '../../jsonrpc/envelope.ts';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import { ErrorCode, ProtocolError } from '../../protocol/errors.ts';
import type { ServerCapabilities } from '../../protocol/capabilities.ts';
import { includesList, listFilter } from '../../protocol/list-changes.ts';
import type { SubscriptionFilter } from '../../protocol/resources.ts';
import { notificationOf, type Change, type Changes } from './change-hub.ts';
import { ResourceWatches } from './resource-subscriptions.ts';
import type { ActiveRequest } from '../requests/active-request.ts';
import { HandlerContext } from '../requests/handler-context.ts';
import type { ResourceProvider } from '../resources/resource-provider.ts';
import type { ServerTasks } from '../tasks/server-tasks.ts';
import type { TaskFeed } from '../tasks/task-feed.ts';

export interface ListenServer {
  readonly changes: Changes;
  readonly capabilities: ServerCapabilities;
  readonly resources: ResourceProvider | undefined;
  readonly tasks: ServerTasks | undefined;
  readonly hasOwnStream: boolean;
  readonly onError: (error: unknown) => void;
}

/**
 * Serves `subscriptions/listen`: attaches watchers, acknowledges the accepted filter, then sends changes until the client cancels (rejects) or `ended`
 * aborts (resolves with the closing result). Does not wait for a provider that is still attaching by then.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
 */
export async function listen(
  server: ListenServer,
  request: ActiveRequest,
  ended: AbortSignal,
): Promise<JsonObject> {
  const wanted = readFilter(request.params.notifications);
  const stop = Promise.withResolvers<undefined>();
  const stopNow = (): void => stop.resolve(undefined);
  const signals = [request.signal, ended];
  for (const signal of signals) signal.addEventListener('abort', stopNow);
  if (signals.some(({ aborted }) => aborted)) stopNow();
  const stream = new NotificationStream(request);
  const watches =
    server.resources === undefined
      ? undefined
      : new ResourceWatches(server.resources, server.onError);
  server.changes.add(stream);
  let feed: TaskFeed | undefined;
  try {
    if (wanted.taskIds !== undefined) feed = await server.tasks?.openFeed(request);
    const accepted = await Promise.race([
      acceptFilter({ wanted, server, watches, feed }, request),
      stop.promise.then(() => ({})),
    ]);
    request.signal.throwIfAborted();
    stream.acknowledge(accepted);
    feed?.start((task) => stream.sendTask(task));
    await stop.promise;
    request.signal.throwIfAborted();
    stream.end({ isCancelled: !server.hasOwnStream });
    return { _meta: stream.meta };
  } finally {
    for (const signal of signals) signal.removeEventListener('abort', stopNow);
    server.changes.remove(stream);
    feed?.end();
    void watches?.end();
  }
}

/** Sends the notifications of one stream, tagged with the id of its listen request. Changes before the acknowledgment are sent after it. */
class NotificationStream {
  readonly meta: JsonObject;
  readonly #request: ActiveRequest;
  readonly #pending = new Map<string, Change>();
  #filter: SubscriptionFilter | undefined;
  #watched: ReadonlySet<string> = new Set();
  #isEnded = false;

  constructor(request: ActiveRequest) {
    this.#request = request;
    this.meta = { [MetaKey.subscriptionId]: request.request.id };
  }

  acknowledge(filter: SubscriptionFilter): void {
    this.#filter = filter;
    this.#watched = new Set(filter.resourceSubscriptions);
    this.#request.port.notify('notifications/subscriptions/acknowledged', {
      _meta: this.meta,
      notifications: filter,
    });
    for (const change of this.#pending.values()) this.changed(change);
    this.#pending.clear();
  }

  changed(change: Change): void {
    if (this.#filter === undefined) {
      this.#pending.set(JSON.stringify(change), change);
    } else if (this.#isWanted(change)) {
      const { method, params } = notificationOf(change);
      this.#request.port.notifyChange(method, { _meta: this.meta, ...params }, () =>
        this.#isWanted(change),
      );
    }
  }

  sendTask(task: JsonObject): void {
    if (this.#isEnded || this.#request.signal.aborted) return;
    this.#request.port.notify('notifications/tasks', { _meta: this.meta, ...task });
  }

  /**
   * Ends the stream. On a shared stream a cancellation precedes the result, as the cancellation page requires; over HTTP the result and the end of the
   * stream suffice.
   * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions#graceful-closure
   */
  end({ isCancelled }: { readonly isCancelled: boolean }): void {
    this.#isEnded = true;
    if (!isCancelled) return;
    const reason = 'The server ends the subscription';
    this.#request.port.notify('notifications/cancelled', {
      _meta: this.meta,
      requestId: this.#request.request.id,
      reason,
    });
  }

  #isWanted(change: Change): boolean {
    if (this.#isEnded || this.#request.signal.aborted) return false;
    return change.kind === 'resource'
      ? this.#watched.has(change.uri)
      : includesList(this.#filter ?? {}, change.kind);
  }
}

interface RequestedFilter {
  readonly wanted: SubscriptionFilter;
  readonly server: ListenServer;
  readonly watches: ResourceWatches | undefined;
  readonly feed: TaskFeed | undefined;
}

async function acceptFilter(
  { wanted, server, watches, feed }: RequestedFilter,
  request: ActiveRequest,
): Promise<SubscriptionFilter> {
  const { capabilities } = server;
  const canWatch = capabilities.resources?.subscribe === true && watches !== undefined;
  const uris = canWatch
    ? await attachAll(wanted.resourceSubscriptions ?? [], { watches, server }, request)
    : [];
  return {
    ...listFilter((kind) => includesList(wanted, kind) && capabilities[kind]?.listChanged === true),
    ...(feed === undefined ? {} : { taskIds: await feed.accept(wanted.taskIds ?? []) }),
    ...(canWatch && wanted.resourceSubscriptions !== undefined
      ? { resourceSubscriptions: uris }
      : {}),
  };
}

interface Attachment {
  readonly watches: ResourceWatches;
  readonly server: ListenServer;
}

/** Attaches watchers and returns the URIs that the provider did not refuse. */
async function attachAll(
  uris: readonly string[],
  { watches, server }: Attachment,
  request: ActiveRequest,
): Promise<readonly string[]> {
  const unique = [...new Set(uris)];
  const context = new HandlerContext(request);
  const outcomes = await Promise.allSettled(unique.map((uri) => watches.add(uri, context)));
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected' && !(outcome.reason instanceof ProtocolError))
      server.onError(outcome.reason);
  }
  return unique.filter((_uri, index) => outcomes[index]?.status === 'fulfilled');
}

/** @throws ProtocolError -32602 */
function readFilter(value: unknown): SubscriptionFilter {
  const flags = ['toolsListChanged', 'promptsListChanged', 'resourcesListChanged'];
  const isValid =
    isJsonObject(value) &&
    flags.every((flag) => value[flag] === undefined || typeof value[flag] === 'boolean') &&
    [value.resourceSubscriptions, value.taskIds].every(
      (list) => list === undefined || isListOfStrings(list),
    );
  if (!isValid)
    throw new ProtocolError(
      ErrorCode.invalidParams,
      'Invalid params: notifications must be a filter of booleans and lists of resource URIs and task ids',
    );
  return value;
}

function isListOfStrings(value: unknown): boolean {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string');
}
