import { type ProcessCommand, windowsCommand, type WindowsSystem } from './windows-command.ts';

/** A command as it is configured. */
export interface CommandOptions {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  readonly cwd?: string | undefined;
}

/** The parts of this process that decide which process a command starts. */
export interface CommandHost extends Pick<WindowsSystem, 'systemRoot' | 'isFile'> {
  readonly platform: string;
  /** Path of the running Node. */
  readonly execPath: string;
}

/**
 * Returns the process that a command starts; `env` is its environment.
 * @throws Error for a batch file on Windows whose arguments cannot be quoted
 */
export function processCommand(
  { command, args = [], cwd }: CommandOptions,
  env: { readonly [name: string]: string },
  host: CommandHost = thisHost(),
): ProcessCommand {
  const { platform, execPath } = host;
  if (command === 'node') return { file: execPath, args, windowsVerbatimArguments: false };
  if (platform !== 'win32') return { file: command, args, windowsVerbatimArguments: false };
  const folder = process.getBuiltinModule('node:path').win32.resolve(cwd ?? '');
  return windowsCommand(command, args, { ...host, env, cwd: folder });
}

function thisHost(): CommandHost {
  return {
    platform: process.platform,
    execPath: process.execPath,
    systemRoot: process.env['SystemRoot'],
    isFile,
  };
}

/** Whether a path is that of a file. False for one that cannot be examined, such as an alias of the Microsoft Store. */
function isFile(path: string): boolean {
  try {
    return process.getBuiltinModule('node:fs').statSync(path).isFile();
  } catch {
    return false;
  }
}
