export interface MockResponse {
  /** HTTP status; default 200. */
  readonly status?: number;
  /** Document, sent as JSON. */
  readonly body: object;
}
