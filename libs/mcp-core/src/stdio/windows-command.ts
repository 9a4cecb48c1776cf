import type { win32 } from 'node:path';

/** A process to start: a program and its arguments. */
export interface ProcessCommand {
  readonly file: string;
  readonly args: readonly string[];
  /** Whether the arguments already are quoted for Windows. */
  readonly windowsVerbatimArguments: boolean;
}

/** The parts of a Windows system that decide which file a command is. */
export interface WindowsSystem {
  /** Environment of the new process. The names of variables have any case. */
  readonly env: { readonly [name: string]: string | undefined };
  /** Absolute working directory of the new process. */
  readonly cwd: string;
  /** Value of `SystemRoot`. */
  readonly systemRoot: string | undefined;
  readonly isFile: (path: string) => boolean;
}

/** Extensions that can be started, in the order of the default `PATHEXT`. */
const EXECUTABLES: readonly string[] = ['.com', '.exe', '.bat', '.cmd'];
const BATCH_FILE = /\.(?:bat|cmd)$/i;
/** Arguments that need no quotes: other characters have a meaning for cmd.exe or for batch files. */
const PLAIN_ARGUMENT = /^[\w#$+./:@\\-]*[\w#$+./:@-]$/;
/** Longest command line of cmd.exe. */
const MAX_LINE_CHARACTERS = 8191;

/**
 * Returns the process of a command on Windows. A command without a folder is searched in `PATH`, not
 * in the working directory. Node refuses to start batch files such as `npx.cmd`, because cmd.exe reads
 * their arguments as a command line: they are started with cmd.exe, their arguments are quoted for it,
 * and arguments that no quotes protect are refused. A command that is not found is returned unchanged.
 * @throws Error for a batch file with an argument that cannot be quoted, or too many arguments
 * @see https://nodejs.org/en/blog/vulnerability/april-2024-security-releases-2
 */
export function windowsCommand(
  command: string,
  args: readonly string[],
  system: WindowsSystem,
): ProcessCommand {
  // Windows ignores dots and spaces at the end of a name, which would hide the extension.
  const name = command.replace(/[. ]+$/, '');
  const file = findFile(name, system);
  if (file === undefined) {
    if (BATCH_FILE.test(name)) throw new Error('the batch file was not found.');
    return { file: command, args, windowsVerbatimArguments: false };
  }
  if (!BATCH_FILE.test(file)) return { file, args, windowsVerbatimArguments: false };
  const line = [quoted(file, 'path'), ...args.map((arg) => quotedIfNeeded(arg))].join(' ');
  const shell = windowsPath().join(system.systemRoot ?? 'C:\\Windows', 'System32', 'cmd.exe');
  // No AutoRun (/d), extensions on, no expansion of !name!, and only the outer quotes are removed (/s).
  const shellArgs = ['/d', '/e:on', '/v:off', '/s', '/c', `"${line}"`];
  if ([shell, ...shellArgs].join(' ').length > MAX_LINE_CHARACTERS)
    throw new Error(
      `the arguments are too long for a batch file: the command line may have ${MAX_LINE_CHARACTERS} characters.`,
    );
  return { file: shell, args: shellArgs, windowsVerbatimArguments: true };
}

function findFile(command: string, { env, cwd, isFile }: WindowsSystem): string | undefined {
  if (command === '') return undefined;
  const path = windowsPath();
  const extensions = extensionsIn(variable(env, 'PATHEXT'));
  const hasExtension = EXECUTABLES.some((extension) => command.toLowerCase().endsWith(extension));
  const names = hasExtension ? [command] : extensions.map((extension) => `${command}${extension}`);
  const folders = /[\\/:]/.test(command)
    ? [cwd]
    : (variable(env, 'PATH') ?? '')
        .split(';')
        .map((folder) => folder.replaceAll('"', ''))
        .filter((folder) => folder !== '')
        .map((folder) => path.resolve(cwd, folder));
  return folders
    .flatMap((folder) => names.map((name) => path.resolve(folder, name)))
    .find((each) => isFile(each));
}

/** Returns the extensions of `PATHEXT` that can be started, in its order. */
function extensionsIn(pathExtensions: string | undefined): readonly string[] {
  const listed = (pathExtensions ?? '')
    .toLowerCase()
    .split(';')
    .filter((extension) => EXECUTABLES.includes(extension));
  return listed.length === 0 ? EXECUTABLES : listed;
}

/** Returns a variable as Windows finds it: of names that differ in case, Node passes the first. */
function variable(env: WindowsSystem['env'], name: string): string | undefined {
  const key = Object.keys(env)
    .toSorted()
    .find((each) => each.toUpperCase() === name);
  return key === undefined ? undefined : env[key];
}

function quotedIfNeeded(argument: string): string {
  return PLAIN_ARGUMENT.test(argument) ? argument : quoted(argument, 'argument');
}

/**
 * Quotes a text for cmd.exe and for the program that parses the command line again. cmd.exe expands
 * `%name%` inside quotes too, ends the line at a line break, and ends the quotes at a quotation mark.
 */
function quoted(text: string, kind: 'path' | 'argument'): string {
  const found = /["%\p{Cc}]/u.exec(text)?.[0];
  if (found !== undefined)
    throw new Error(
      `the ${kind} ${JSON.stringify(text)} has the character ${JSON.stringify(found)}, which cannot be passed safely to a batch file on Windows. Start the program itself, for example node with the path of a script.`,
    );
  // The program would read a backslash before the last quotation mark as an escape.
  return `"${text.replace(/\\+$/, '$&$&')}"`;
}

/** Loads the module on first use, because servers import this file and start no process. */
function windowsPath(): typeof win32 {
  return process.getBuiltinModule('node:path').win32;
}
