const POSIX_NAMES = ['PATH', 'HOME', 'LANG', 'TMPDIR', 'USER', 'SHELL', 'TERM'];

/** Certificates and proxies. Programs read these names in upper and in lower case. */
const NETWORK_NAMES = [
  'NODE_EXTRA_CA_CERTS',
  'NODE_USE_SYSTEM_CA',
  'NODE_USE_ENV_PROXY',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'REQUESTS_CA_BUNDLE',
  'CURL_CA_BUNDLE',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'ALL_PROXY',
  'NO_PROXY',
  'NPM_CONFIG_CAFILE',
  'NPM_CONFIG_PROXY',
  'NPM_CONFIG_HTTPS_PROXY',
  'NPM_CONFIG_NOPROXY',
  'NPM_CONFIG_REGISTRY',
];

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
 * Returns the environment of a server process: the variables of `source` that programs need to
 * start and to reach the network (certificates, proxies), plus `added`, which takes precedence.
 * Secrets of this process therefore reach a server only through its configuration, except
 * credentials in a proxy URL.
 */
export function childEnvironment(
  added: { readonly [name: string]: string } = {},
  source: ChildEnvironmentSource = process,
): { [name: string]: string } {
  const environment: { [name: string]: string } = {};
  // Windows ignores the case of names, and Node passes one of several.
  const fold = (name: string): string => (source.platform === 'win32' ? name.toUpperCase() : name);
  const replaced = new Set(Object.keys(added).map(fold));
  for (const [name, value] of Object.entries(source.env)) {
    if (value === undefined || replaced.has(fold(name))) continue;
    if (isInherited(name, source.platform) && !isShellFunction(value)) environment[name] = value;
  }
  return { ...environment, ...added };
}

function isInherited(name: string, platform: string): boolean {
  if (NETWORK_NAMES.includes(name.toUpperCase())) return true;
  if (platform === 'win32') {
    return WINDOWS_NAMES.includes(name.toUpperCase());
  }
  return POSIX_NAMES.includes(name) || name.startsWith('LC_');
}

/** Bash exports functions as values of this form; a child shell would run their definition. */
function isShellFunction(value: string): boolean {
  return value.startsWith('()');
}
