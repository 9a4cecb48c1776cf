import { LocalError } from '../protocol/errors.ts';
import { REVISIONS } from './revisions.ts';

const REQUESTS: ReadonlySet<string> = new Set(
  REVISIONS.flatMap(({ clientRequests, serverRequests }) => [...clientRequests, ...serverRequests]),
);

const NOTIFICATIONS: ReadonlySet<string> = new Set([
  'notifications/cancelled',
  'notifications/elicitation/complete',
  'notifications/initialized',
  'notifications/message',
  'notifications/progress',
  'notifications/prompts/list_changed',
  'notifications/resources/list_changed',
  'notifications/resources/updated',
  'notifications/roots/list_changed',
  'notifications/subscriptions/acknowledged',
  'notifications/tasks',
  'notifications/tasks/status',
  'notifications/tools/list_changed',
]);

/** Whether some revision of the specification has this request. */
export function isSpecifiedRequest(method: string): boolean {
  return REQUESTS.has(method);
}

/**
 * Returns the handler of a custom notification: that of its name, or else the one of `*`.
 * Notifications of the specification have none.
 */
export function customHandlerOf<Handler>(
  handlers: ReadonlyMap<string, Handler>,
  method: string,
): Handler | undefined {
  return handlers.get(method) ?? (NOTIFICATIONS.has(method) ? undefined : handlers.get('*'));
}

/** @throws LocalError `invalid-argument` when a custom method cannot have this name. */
export function assertCustomMethod(name: string): void {
  const problem = REQUESTS.has(name)
    ? 'the specification defines a method of this name'
    : reservedPrefix(name);
  if (problem !== undefined) refuse('method', name, problem);
  if (name.startsWith('notifications/'))
    refuse('method', name, 'names that begin with notifications/ belong to notifications');
}

/** @throws LocalError `invalid-argument` when a custom notification cannot have this name. */
export function assertCustomNotification(name: string): void {
  const problem =
    NOTIFICATIONS.has(name) || REQUESTS.has(name)
      ? 'the specification defines a message of this name'
      : reservedPrefix(name);
  if (problem !== undefined) refuse('notification', name, problem);
}

/** @see https://www.jsonrpc.org/specification#request_object */
function reservedPrefix(name: string): string | undefined {
  if (name === '') return 'a name must not be empty';
  return name.startsWith('rpc.') ? 'JSON-RPC reserves names that begin with rpc.' : undefined;
}

function refuse(kind: string, name: string, problem: string): never {
  throw new LocalError(
    'invalid-argument',
    `The custom ${kind} ${JSON.stringify(name)} cannot be defined: ${problem}. Choose a name with a prefix of your own, such as "acme/search"`,
  );
}
