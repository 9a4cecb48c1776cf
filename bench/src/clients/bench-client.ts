import type { Era } from '@signalbox/mcp-core';

/** A client under measurement, connected to the floor's server. */
export interface BenchClient {
  /** Lists the tools and resolves with their number. */
  listTools(): Promise<number>;
  /** Calls `echo` and resolves with the text of its result. */
  echo(text: string): Promise<string>;
  /** Calls `flood`; calls `onProgress` for each notification that the library delivers. */
  flood(notifications: number, onProgress: () => void): Promise<void>;
  close(): Promise<void>;
}

/** A program to spawn with Node, or the port of this machine where a server listens at `/mcp`. */
export type ServerAddress = { readonly program: string } | { readonly port: number };

export type ConnectBenchClient = (server: ServerAddress, era: Era) => Promise<BenchClient>;

export function urlOf(port: number): string {
  return `http://127.0.0.1:${String(port)}/mcp`;
}

/** Returns the text of a result whose first content block is text. @throws Error */
export function textOf(content: unknown): string {
  const [block] = content as readonly { readonly text?: unknown }[];
  if (typeof block?.text !== 'string') throw new Error('The result has no text');
  return block.text;
}
