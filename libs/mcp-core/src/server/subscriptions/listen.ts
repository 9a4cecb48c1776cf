import { MetaKey } from '../../era/meta-keys.ts';
import { isJsonObject } from '../../jsonrpc/envelope.ts';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import { ErrorCode, ProtocolError } from '../../protocol/errors.ts';
import type { ServerCapabilities } from '../../protocol/capabilities.ts';
import type { SubscriptionFilter } from '../../protocol/resources.ts';
import { notificationOf, type Change, type Changes } from './change-hub.ts';
import { ResourceWatches } from './resource-subscriptions.ts';
import type { ActiveRequest } from '../requests/active-request.ts';
import type { ResourceProvider } from '../server.ts';
import type { TaskEngine } from '../tasks/task-engine.ts';
import { TaskFeed } from '../tasks/task-feed.ts';

export interface ListenServer {
  readonly changes: Changes;
  readonly capabilities: ServerCapabilities;
  readonly resources: ResourceProvider | undefined;
  readonly tasks: TaskEngine | undefined;
  readonly hasOwnStream: boolean;
  readonly onError: (error: unknown) => void;
}

/**
 * Serves `subscriptions/listen`: watches what the provider accepts, acknowledges that, then passes changes on until the client cancels (rejects) or
 * `ended` aborts (resolves with the closing result). A provider that is still attaching by then is not waited for.
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
  const stream = new ListenStream(request);
  const watches =
    server.resources === undefined
      ? undefined
      : new ResourceWatches(server.resources, server.onError);
  server.changes.add(stream);
  const feed = server.tasks && wanted.taskIds && new TaskFeed(server.tasks, request);
  try {
    const honoured = await Promise.race([
      honour({ wanted, server, watches, feed }, request),
      stop.promise.then(() => ({})),
    ]);
    request.signal.throwIfAborted();
    stream.acknowledge(honoured);
    feed?.start((task) => stream.tell(task));
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

/** The notifications of one stream, each tagged with the id of its listen request; nothing goes out before the acknowledgment. */
class ListenStream {
  readonly meta: JsonObject;
  readonly #request: ActiveRequest;
  readonly #early = new Map<string, Change>();
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
    for (const change of this.#early.values()) this.changed(change);
    this.#early.clear();
  }

  changed(change: Change): void {
    if (this.#filter === undefined) {
      this.#early.set(JSON.stringify(change), change);
    } else if (this.#isWanted(change)) {
      const { method, params } = notificationOf(change);
      this.#request.port.notifyChange(method, { _meta: this.meta, ...params }, () =>
        this.#isWanted(change),
      );
    }
  }

  tell(task: JsonObject): void {
    if (this.#isEnded || this.#request.signal.aborted) return;
    this.#request.port.notify('notifications/tasks', { _meta: this.meta, ...task });
  }

  /**
   * Ends the stream. On a shared stream a cancellation precedes the result, as the cancellation page demands; over HTTP the
   * result and the end of the stream say it.
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
    switch (change.kind) {
      case 'tools':
        return this.#filter?.toolsListChanged === true;
      case 'prompts':
        return this.#filter?.promptsListChanged === true;
      case 'resources':
        return this.#filter?.resourcesListChanged === true;
      case 'resource':
        return this.#watched.has(change.uri);
      default:
        return change satisfies never;
    }
  }
}

interface Offer {
  readonly wanted: SubscriptionFilter;
  readonly server: ListenServer;
  readonly watches: ResourceWatches | undefined;
  readonly feed: TaskFeed | undefined;
}

async function honour(
  { wanted, server, watches, feed }: Offer,
  request: ActiveRequest,
): Promise<SubscriptionFilter> {
  const { capabilities } = server;
  const canWatch = capabilities.resources?.subscribe === true && watches !== undefined;
  const uris = canWatch
    ? await attachAll(wanted.resourceSubscriptions ?? [], { watches, server }, request)
    : [];
  return {
    ...(wanted.toolsListChanged === true && capabilities.tools?.listChanged === true
      ? { toolsListChanged: true }
      : {}),
    ...(wanted.promptsListChanged === true && capabilities.prompts?.listChanged === true
      ? { promptsListChanged: true }
      : {}),
    ...(wanted.resourcesListChanged === true && capabilities.resources?.listChanged === true
      ? { resourcesListChanged: true }
      : {}),
    ...(feed === undefined ? {} : { taskIds: await feed.honour(wanted.taskIds ?? []) }),
    ...(canWatch && wanted.resourceSubscriptions !== undefined
      ? { resourceSubscriptions: uris }
      : {}),
  };
}

interface Attachment {
  readonly watches: ResourceWatches;
  readonly server: ListenServer;
}

/** The URIs the provider did not refuse. */
async function attachAll(
  uris: readonly string[],
  { watches, server }: Attachment,
  request: ActiveRequest,
): Promise<readonly string[]> {
  const unique = [...new Set(uris)];
  const outcomes = await Promise.allSettled(unique.map((uri) => watches.add(uri, request)));
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
