/** An answer as it was given, so that it can be given again. */
export interface KeptResponse {
  readonly status: number;
  readonly location: string | undefined;
  readonly body: unknown;
}

/** A key names a request of one principal. */
export interface IdempotencyKey {
  readonly principal: string;
  readonly key: string;
}

/** A request that came with a key. */
export interface KeyedRequest extends IdempotencyKey {
  /** SHA-256 of the method, the path and the body, in hex. */
  readonly requestSha256: string;
  /** Boot id of the process that serves it. */
  readonly owner: string;
}

export interface UsedKey extends KeyedRequest {
  readonly isDone: boolean;
  /** What it was answered with; gone when the run that it is about was deleted. */
  readonly response: KeptResponse | undefined;
  /** The run that the response is about. */
  readonly runId: string | undefined;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
}

export interface IdempotencyWriter {
  /** Takes the key for a request that begins, when it is free or its owner is another boot that did not finish; else returns who has it. */
  claimKey(request: KeyedRequest): Promise<UsedKey | undefined>;
  finishKey(key: IdempotencyKey, done: Pick<UsedKey, 'response' | 'runId'>): Promise<void>;
  /** Frees a key whose request had no effect. */
  releaseKey(key: IdempotencyKey): Promise<void>;
  /** Frees the keys that were taken before this time. */
  releaseKeysBefore(time: number): Promise<void>;
}
