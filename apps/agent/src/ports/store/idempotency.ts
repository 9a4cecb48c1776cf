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

/** A key that a process has claimed. */
export interface KeyClaim extends IdempotencyKey {
  /** Id of the worker that serves the request. */
  readonly owner: string;
}

/** A request with an idempotency key. */
export interface KeyedRequest extends KeyClaim {
  /** SHA-256 of the method, the path and the body, in hex. */
  readonly requestSha256: string;
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
   * unfinished request of a worker that has ended; otherwise returns the current claim.
   */
  claimKey(request: KeyedRequest): Promise<UsedKey | undefined>;
  /**
   * Stores the response of a request. Returns false, and changes nothing, when another worker has
   * claimed the key; the effect of the request must then be rolled back.
   */
  finishKey(claim: KeyClaim, done: Pick<UsedKey, 'response' | 'runId'>): Promise<boolean>;
  /** Releases a key whose request had no effect, unless another worker has claimed it. */
  releaseKey(claim: KeyClaim): Promise<void>;
  /** Releases the keys that were claimed before this time. */
  releaseKeysBefore(time: number): Promise<void>;
}
