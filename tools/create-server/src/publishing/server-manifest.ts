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
