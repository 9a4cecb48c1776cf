/** Fields of a server's package.json from which its files for publication are made. */
export interface ServerManifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly keywords: readonly string[];
  /** Name in the MCP Registry. The registry accepts a package only if this equals `name` in server.json. */
  readonly mcpName: string;
  /** The command and its file. */
  readonly bin: { readonly [command: string]: string };
  readonly engines: { readonly node: string };
  readonly repository?: Repository;
  readonly homepage?: string;
  readonly bugs?: { readonly url: string };
}

/** The `repository` of a package.json. */
export interface Repository {
  readonly type: string;
  /** `git+https://….git`. */
  readonly url: string;
  /** Folder of the package in the repository. */
  readonly directory?: string;
}

/** Returns the address of a repository for a browser: without `git+` and `.git`. */
export function browserUrl({ url }: Repository): string {
  return url.replace(/^git\+/, '').replace(/\.git$/, '');
}

/** The fields of a root package.json that the packages of its repository take over. */
export interface Origin {
  readonly author: string;
  readonly bugs: { readonly url: string };
  readonly repository: Repository;
}

/** Returns a package.json with the addresses of its repository, before the field `license`. `folder`: of the package, relative to the root. */
export function withOrigin<Manifest extends object>(
  manifest: Manifest,
  folder: string,
  { author, bugs, repository }: Origin,
): Manifest {
  const addresses = {
    author,
    homepage: `${browserUrl(repository)}/tree/main/${folder}#readme`,
    bugs,
    repository: { ...repository, directory: folder },
  };
  const others = Object.entries(manifest).filter(([field]) => !(field in addresses));
  return Object.fromEntries(
    others.flatMap((entry) =>
      entry[0] === 'license' ? [...Object.entries(addresses), entry] : [entry],
    ),
  ) as Manifest;
}
