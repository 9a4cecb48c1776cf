/** A page of a list. */
export interface Page<T> {
  readonly data: readonly T[];
  /** Opaque cursor of the next page. Undefined on the last page. */
  readonly nextCursor: string | undefined;
}

export interface PageOptions {
  readonly limit: number;
  /** Opaque cursor of an earlier page. An invalid cursor throws `InvalidCursorError`. */
  readonly cursor?: string;
}
