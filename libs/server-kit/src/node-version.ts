const oldest = { major: 22, minor: 22 };

/**
 * Returns one line with advice when `version` (as in `process.versions.node`) is older than 22.22,
 * else `undefined`.
 */
export function unsupportedNode(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const supported = major > oldest.major || (major === oldest.major && minor >= oldest.minor);
  return supported
    ? undefined
    : `Node ${oldest.major}.${oldest.minor} or newer is required, this is ${version}`;
}
