import type { ExecutorMessage } from './messages.ts';

/**
 * Whether a message of a query process has the form of a message. Does not check the content of a
 * result.
 */
export function isExecutorMessage(message: unknown): message is ExecutorMessage {
  if (typeof message !== 'object' || message === null || !('kind' in message)) return false;
  if (message.kind === 'ready') return true;
  if (!('id' in message) || typeof message.id !== 'number') return false;
  switch (message.kind) {
    case 'result':
      return 'output' in message;
    case 'failure':
      return 'message' in message && typeof message.message === 'string';
    case 'chunk':
      return 'chunk' in message && typeof message.chunk === 'string';
    default:
      return message.kind === 'pull' || message.kind === 'committing';
  }
}
