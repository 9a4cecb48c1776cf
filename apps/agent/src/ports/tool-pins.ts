import type { JsonObject } from '@signalbox/mcp-core';

/** The first or last accepted definition of a tool. */
export interface ToolPin {
  readonly server: string;
  /** Server's name of the tool. */
  readonly tool: string;
  /** SHA-256 in hex of each part of the definition, by part. */
  readonly parts: { readonly [part: string]: string };
  /**
   * The definition, to show what changed since. Undefined for a definition over 64 KiB, and for a pin of an earlier version of the
   * service. It may be older than `parts` if such a version replaced the pin.
   */
  readonly definition: JsonObject | undefined;
  /** Milliseconds since the Unix epoch. */
  readonly firstSeenAt: number;
  /** Time at which this definition replaced an earlier one. */
  readonly acceptedAt: number | undefined;
}

/** Pinned tool definitions by server. They outlive restarts of the service. */
export interface ToolPins {
  of(server: string): Promise<readonly ToolPin[]>;
  /** Stores all pins or none. A pin replaces the earlier pin of the same tool. */
  keep(pins: readonly ToolPin[]): Promise<void>;
}
