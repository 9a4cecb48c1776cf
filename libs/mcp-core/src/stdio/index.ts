import type { Transport } from '../jsonrpc/transport.ts';

export interface SpawnOptions {
  /** `node` means the running Node. */
  readonly command: string;
  readonly args?: readonly string[];
  /** Added to the minimal environment (PATH, HOME, LANG, TMPDIR and their like); nothing else of this process is inherited. */
  readonly env?: { readonly [name: string]: string };
  readonly cwd?: string;
  /** Longest accepted line in bytes; default 64 MiB. */
  readonly maxLineBytes?: number;
  /** Each stderr line of the child, without its newline, at most 8 KiB of it. */
  readonly onStderr?: (line: string) => void;
  /** Wait after closing stdin before SIGTERM, and again before SIGKILL; default 2000 ms. */
  readonly graceMs?: number;
}

/** A server process, in a process group of its own. `close` goes the ladder stdin EOF, SIGTERM, SIGKILL for the whole group. */
export interface ChildTransport extends Transport {
  readonly pid: number | undefined;
  /** The last 64 KiB of stderr. */
  stderrTail(): string;
  readonly exited: Promise<{ readonly code: number | null; readonly signal: string | null }>;
}
