/** A stored response, returned again for a repeated request. */
export interface KeptResponse {
  readonly status: number;
  readonly location: string | undefined;
  readonly body: unknown;
}

/** The key of one principal's request. */
export interface IdempotencyKey {
  readonly principal: string;
  readonly key: string;
}

/** A request with an idempotency key. */
export interface KeyedRequest extends IdempotencyKey {
  /** SHA-256 of the method, the path and the body, in hex. */
  readonly requestSha256: string;
  /** Id of the worker that serves the request. */
  readonly owner: string;
}

export interface UsedKey extends KeyedRequest {
  readonly isDone: boolean;
  /** Stored response. Undefined once the run that it is about is deleted. */
  readonly response: KeptResponse | undefined;
  /** The run that the response is about. */
  readonly runId: string | undefined;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
}

/** Milliseconds for which a key is kept after its first request. */
export const KEY_RETENTION_MS = 24 * 60 * 60 * 1000;

export interface IdempotencyWriter {
  /**
   * Claims the key for a new request. Succeeds if the key is free, or belongs to the same
   * unfinished request of another boot; otherwise returns the current claim.
   */
  claimKey(request: KeyedRequest): Promise<UsedKey | undefined>;
  finishKey(key: IdempotencyKey, done: Pick<UsedKey, 'response' | 'runId'>): Promise<void>;
  /** Releases a key whose request had no effect. */
  releaseKey(key: IdempotencyKey): Promise<void>;
  /** Releases the keys that were claimed before this time. */
  releaseKeysBefore(time: number): Promise<void>;
}
