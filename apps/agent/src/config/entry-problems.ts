/** Members of a server entry that define how the server is reached. */
export interface ReachedBy {
  readonly type?: 'stdio' | 'http' | 'sse' | undefined;
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
  readonly env?: object | undefined;
  readonly cwd?: string | undefined;
  readonly envFile?: string | undefined;
  readonly url?: string | undefined;
  readonly headers?: object | undefined;
  readonly signalbox?:
    | { readonly era?: string | undefined; readonly auth?: object | undefined }
    | undefined;
}

export interface EntryProblem {
  /** Path within the entry. */
  readonly location: readonly string[];
  readonly problem: string;
}

const OF_PROCESS = ['args', 'env', 'envFile', 'cwd'] as const;

/**
 * Returns the contradictions in an entry: a server is either started with `command` or reached at
 * `url`.
 */
export function entryProblems(entry: ReachedBy): readonly EntryProblem[] {
  const { type, command, url } = entry;
  if (command !== undefined && url !== undefined)
    return [
      {
        location: [],
        problem:
          'has "command" and "url"; a server is either started or reached at an address, so remove one of them',
      },
    ];
  if (url !== undefined) return remoteProblems(entry);
  if (type === 'http' || type === 'sse')
    return [
      {
        location: ['url'],
        problem: `is missing; a server of type "${type}" is reached at an address`,
      },
    ];
  if (command === undefined)
    return [
      {
        location: [],
        problem: 'has neither "command", which starts a server, nor "url", at which one is reached',
      },
    ];
  return [
    ...(isEmpty(entry.headers)
      ? []
      : [
          {
            location: ['headers'],
            problem:
              'are for a server with "url"; a server with "command" gets its secrets in "env"',
          },
        ]),
    ...(entry.signalbox?.auth === undefined
      ? []
      : [
          {
            location: ['signalbox', 'auth'],
            problem:
              'is for a server with "url"; a server with "command" gets its secrets in "env"',
          },
        ]),
  ];
}

function remoteProblems(entry: ReachedBy): readonly EntryProblem[] {
  if (entry.type === 'stdio')
    return [
      {
        location: ['type'],
        problem: 'is "stdio", but the server has a "url"; write "http" or "sse", or leave it out',
      },
    ];
  const unused = OF_PROCESS.filter((field) => !isEmpty(entry[field])).map((field) => ({
    location: [field],
    problem: 'is for a server with "command"; put the secrets of a server with "url" in "headers"',
  }));
  const hasToken = Object.keys(entry.headers ?? {}).some(
    (name) => name.toLowerCase() === 'authorization',
  );
  const isImpossible = entry.type === 'sse' && entry.signalbox?.era === 'modern';
  return [
    ...unused,
    ...(hasToken && entry.signalbox?.auth !== undefined
      ? [
          {
            location: ['signalbox', 'auth'],
            problem: 'excludes the header Authorization; remove one of them',
          },
        ]
      : []),
    ...(isImpossible
      ? [
          {
            location: ['signalbox', 'era'],
            problem: 'is "modern", but the transport "sse" exists in the legacy era only',
          },
        ]
      : []),
  ];
}

/** Whether a member is empty, as some programs write it. */
function isEmpty(member: string | object | undefined): boolean {
  return member === undefined || (typeof member === 'object' && Object.keys(member).length === 0);
}
