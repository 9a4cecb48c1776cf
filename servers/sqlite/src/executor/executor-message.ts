import type { ExecutorReply } from './protocol.ts';

/**
 * Whether a message of a query process has the form of a reply. Does not check the content of a
 * result.
 */
export function isExecutorReply(message: unknown): message is ExecutorReply {
  if (typeof message !== 'object' || message === null || !('kind' in message)) return false;
  if (message.kind === 'ready') return true;
  if (!('id' in message) || typeof message.id !== 'number') return false;
  return message.kind === 'result'
    ? 'output' in message
    : message.kind === 'failure' && 'message' in message && typeof message.message === 'string';
}
