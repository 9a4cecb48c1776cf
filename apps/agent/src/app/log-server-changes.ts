import type { Logger } from '../ports/logger.ts';
import type { ToolDispatcher } from '../ports/tool-dispatcher.ts';

/**
 * Logs each state of a server once, so that repeated failures for the same reason are one warning.
 */
export function logServerChanges(
  dispatcher: Pick<ToolDispatcher, 'onServerChange'>,
  logger: Logger,
): void {
  const logged = new Map<string, string>();
  dispatcher.onServerChange(({ name, state, toolCount, era, error, login }) => {
    if (state !== 'failed' && state !== 'ready' && state !== 'needs_login') return;
    const news = `${state} ${toolCount} ${error}`;
    if (logged.get(name) === news) return;
    logged.set(name, news);
    if (state === 'failed')
      logger.warn('a server is not available', {
        server: name,
        ...(error === undefined ? {} : { error }),
      });
    else if (state === 'needs_login')
      logger.warn('a server needs a login', {
        server: name,
        ...(login === undefined ? {} : { issuer: login.issuer, reason: login.reason }),
      });
    else
      logger.info('a server is ready', {
        server: name,
        tools: toolCount,
        ...(era === undefined ? {} : { era }),
      });
  });
}
