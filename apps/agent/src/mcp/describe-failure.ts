import { LocalError } from '@signalbox/mcp-core';
import { RefusedUrlError } from '@signalbox/mcp-core/http/addresses';
import { HttpError } from '@signalbox/mcp-core/http/client';
import { stderrExcerpt } from '@signalbox/mcp-core/stdio';
import { isRemote, type ServerConfig, type StdioServerConfig } from '../config/config.ts';
import { needsLoginText } from './login-text.ts';
import { neededLogin } from './needed-login.ts';
import { messageOf } from '../text/error-text.ts';

/** Thrown for a server that connected but did not list its tools. */
export class ToolsNotListedError extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = 'ToolsNotListedError';
  }
}

/**
 * Returns one line about the failure of a server: what, where, and what to do. `stderr`: last lines
 * of the server's stderr.
 */
export function describeFailure(
  server: ServerConfig,
  error: unknown,
  stderr: readonly string[],
): string {
  const place = `mcpServers.${server.name}`;
  const message = messageOf(error)
    .replace(/\s+/g, ' ')
    .replace(/[.\s]+$/, '');
  if (
    error instanceof ToolsNotListedError &&
    httpStatusOf(error) === undefined &&
    neededLogin(error) === undefined
  )
    return `the server started, but its tools could not be listed: ${message}${stderrOf(message, stderr)}; check its env and its network, then POST /v1/servers/${server.name}/reconnect`;
  const login = neededLogin(error);
  if (login !== undefined) return needsLoginText(server.name, login);
  const refused = refusalOf(error);
  if (refused !== undefined) return `${place}.url is not requested: ${refused}`;
  if (isRemote(server)) return `${message}: ${remoteRemedy(error, place)}`;
  return (
    commandProblem(server, error) ??
    `${message}${stderrOf(message, stderr)}: ${remedy(error, place)}`
  );
}

/** Returns the stderr lines, unless the message of the process's exit contains them. */
function stderrOf(message: string, lines: readonly string[]): string {
  const excerpt = stderrExcerpt(lines);
  return excerpt.length === 0 || message.includes('; on stderr: ')
    ? ''
    : `; on stderr: ${excerpt.join(' | ')}`;
}

function commandProblem(server: StdioServerConfig, error: unknown): string | undefined {
  const place = `mcpServers.${server.name}`;
  const code = systemCode(error);
  if (code === 'ENOENT' && !isAboutCwd(error, server))
    return `command '${server.command}' was not found: check ${place}.command`;
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return `the working directory '${server.cwd ?? ''}' does not exist: check ${place}.cwd`;
  return code === 'EACCES'
    ? `command '${server.command}' may not be executed: check ${place}.command and the permissions of that file`
    : undefined;
}

function remedy(error: unknown, place: string): string {
  if (error instanceof LocalError && error.code === 'connection-lost')
    return `Signalbox starts it again; if this repeats, run the command of ${place} by hand`;
  return `check that ${place} starts an MCP server that speaks on stdin and stdout, and run its command by hand`;
}

function remoteRemedy(error: unknown, place: string): string {
  const status = httpStatusOf(error);
  if (status === 401 || status === 403)
    return `check ${place}.headers: they must contain what the server requires, such as a token`;
  if (status !== undefined && status < 500)
    return `check that ${place}.url is the address of an MCP server`;
  if (status !== undefined)
    return 'Signalbox connects again; if this repeats, ask the operator of the server';
  return `Signalbox connects again; if this repeats, check ${place}.url and that the server runs`;
}

/** Returns why the address of a server was refused, if it was. */
function refusalOf(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof RefusedUrlError) return cause.message;
  return undefined;
}

function httpStatusOf(error: unknown): number | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof HttpError) return cause.status;
  return undefined;
}

function isAboutCwd(error: unknown, server: StdioServerConfig): boolean {
  return (
    server.cwd !== undefined &&
    error instanceof Error &&
    error.message.includes(`working directory ${server.cwd}`)
  );
}

function systemCode(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && /^E[A-Z]+$/.test(String(cause.code))) return String(cause.code);
  }
  return undefined;
}
