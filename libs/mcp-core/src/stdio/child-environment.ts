const POSIX_NAMES = ['PATH', 'HOME', 'LANG', 'TMPDIR', 'USER', 'SHELL', 'TERM'];

const WINDOWS_NAMES = [
  'APPDATA',
  'COMSPEC',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'PATH',
  'PATHEXT',
  'PROCESSOR_ARCHITECTURE',
  'PROGRAMDATA',
  'PROGRAMFILES',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'TEMP',
  'TMP',
  'USERNAME',
  'USERPROFILE',
  'WINDIR',
];

export interface ChildEnvironmentSource {
  readonly env: { readonly [name: string]: string | undefined };
  readonly platform: string;
}

/**
 * The environment of a server process: what a program needs to start at all, taken from `source`, plus `added`, which wins. Secrets of this
 * process therefore reach a server only when its configuration names them.
 */
export function childEnvironment(
  added: { readonly [name: string]: string } = {},
  source: ChildEnvironmentSource = process,
): { [name: string]: string } {
  const environment: { [name: string]: string } = {};
  for (const [name, value] of Object.entries(source.env)) {
    if (value !== undefined && isInherited(name, source.platform) && !isShellFunction(value)) {
      environment[name] = value;
    }
  }
  return { ...environment, ...added };
}

function isInherited(name: string, platform: string): boolean {
  if (platform === 'win32') {
    return WINDOWS_NAMES.includes(name.toUpperCase());
  }
  return POSIX_NAMES.includes(name) || name.startsWith('LC_');
}

/** Bash exports functions as values of this form; a child shell would run their definition. */
function isShellFunction(value: string): boolean {
  return value.startsWith('()');
}
