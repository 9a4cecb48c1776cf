/** Returns the message of a caught value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns a duration in seconds for messages. */
export function seconds(ms: number): string {
  return `${ms / 1000} s`;
}
