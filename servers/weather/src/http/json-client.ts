/** Requests JSON documents of the weather services. */
export interface JsonClient {
  /**
   * Returns the document of a URL.
   * @throws WeatherError; the signal's reason when it aborts, with the socket closed
   */
  get(url: URL, request: JsonRequest, signal: AbortSignal): Promise<unknown>;
}

export interface JsonRequest {
  /** Accepted media type; default `application/json`. */
  readonly accept?: string | undefined;
  /** Calls of the free limits that the request counts as; default: it is not counted. */
  readonly weight?: number | undefined;
  /** Whether to wait as long as the free limits require, and not two seconds at most; default false. */
  readonly isPatient?: boolean | undefined;
}
