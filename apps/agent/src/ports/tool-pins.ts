/** The definition of a tool as it was first seen, or last accepted. */
export interface ToolPin {
  readonly server: string;
  /** As the server names it. */
  readonly tool: string;
  /** SHA-256, in hex, of each part of the definition by its name. */
  readonly parts: { readonly [part: string]: string };
  /** Milliseconds since the Unix epoch. */
  readonly firstSeenAt: number;
  /** When this definition took the place of an earlier one. */
  readonly acceptedAt: number | undefined;
}

/** What is known of the tools of each server, over restarts of the service. */
export interface ToolPins {
  of(server: string): Promise<readonly ToolPin[]>;
  /** Stores all of them or none; each takes the place of the one of the same tool. */
  keep(pins: readonly ToolPin[]): Promise<void>;
}
