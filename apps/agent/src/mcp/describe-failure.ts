import { LocalError } from '@signalbox/mcp-core';
import type { ServerConfig } from '../config/config.ts';

/** What went wrong with a server, where, and what to do, in one line. `lastStderr` is the last line the server wrote there. */
export function describeFailure(server: ServerConfig, error: unknown, lastStderr: string | undefined): string {
  const place = `mcpServers.${server.name}`;
  const code = systemCode(error);
  if (code === 'ENOENT' && !isAboutCwd(error, server)) return `command '${server.command}' was not found: check ${place}.command`;
  if (code === 'ENOENT' || code === 'ENOTDIR') return `the working directory '${server.cwd ?? ''}' does not exist: check ${place}.cwd`;
  if (code === 'EACCES') return `command '${server.command}' may not be executed: check ${place}.command and the permissions of that file`;
  const message = (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ').replace(/[.\s]+$/, '');
  // The end of a process tells its last words itself, and they need not be its last line.
  const isTold = lastStderr === undefined || message.includes(lastStderr) || message.includes('its last words on stderr: ');
  const stderr = isTold ? '' : `; its last line on stderr: ${lastStderr}`;
  return `${message}${stderr}: ${remedy(error, place)}`;
}

function remedy(error: unknown, place: string): string {
  if (error instanceof LocalError && error.code === 'connection-lost') return `it is started again; if this repeats, run the command of ${place} by hand`;
  return `check that ${place} starts an MCP server that speaks on stdin and stdout, and run its command by hand`;
}

function isAboutCwd(error: unknown, server: ServerConfig): boolean {
  return server.cwd !== undefined && error instanceof Error && error.message.includes(`working directory ${server.cwd}`);
}

function systemCode(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && /^E[A-Z]+$/.test(String(cause.code))) return String(cause.code);
  }
  return undefined;
}
