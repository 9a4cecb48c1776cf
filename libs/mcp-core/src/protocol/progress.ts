/** A progress notification of a request. */
export interface Progress {
  /** Strictly increasing within one request. */
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}
