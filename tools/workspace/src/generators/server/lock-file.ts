/** A package-lock.json, or npm's record of installed packages in node_modules. */
export interface LockFile {
  readonly packages: { readonly [path: string]: LockedPackage };
}

export interface LockedPackage {
  readonly bin?: { readonly [command: string]: string };
  readonly [field: string]: unknown;
}

/** Fields in the order in which npm writes them. */
const LOCKED_FIELDS = [
  'name',
  'version',
  'license',
  'bin',
  'dependencies',
  'devDependencies',
  'engines',
  'optionalDependencies',
  'peerDependencies',
  'peerDependenciesMeta',
] as const;

/** Returns the lock file with a new workspace whose dependencies are already installed. */
export function lockedWithWorkspace<Lock extends LockFile>(
  lock: Lock,
  folder: string,
  manifest: { readonly name: string; readonly [field: string]: unknown },
): Lock {
  const locked = Object.fromEntries(
    LOCKED_FIELDS.flatMap((field) =>
      manifest[field] === undefined ? [] : [[field, manifest[field]]],
    ),
  );
  const packages = {
    ...lock.packages,
    [folder]: locked,
    [`node_modules/${manifest.name}`]: { resolved: folder, link: true },
  };
  const sorted = Object.entries(packages).toSorted(([a], [b]) => a.localeCompare(b, 'en'));
  return { ...lock, packages: Object.fromEntries(sorted) };
}
