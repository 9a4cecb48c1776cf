import { ToolError } from '@signalbox/mcp-core';

export type WeatherErrorCode =
  | 'invalid-location'
  | 'invalid-arguments'
  | 'outside-coverage'
  | 'unknown-place'
  | 'ambiguous-place'
  | 'choice-declined'
  | 'rate-limited'
  | 'unavailable'
  | 'timeout'
  | 'network'
  | 'invalid-response'
  | 'rejected';

/** A place that the caller may mean; `id` is accepted as a location. */
export interface Candidate {
  readonly id: string;
  readonly name: string;
  readonly admin1?: string;
  readonly admin2?: string;
  readonly country?: string;
  /** Degrees. */
  readonly latitude: number;
  /** Degrees. */
  readonly longitude: number;
  readonly population?: number;
}

export interface WeatherErrorDetails {
  readonly candidates?: readonly Candidate[];
  readonly retryAfterSeconds?: number;
  /** HTTP status of the response that caused the error. */
  readonly httpStatus?: number;
}

/** Key in `_meta` of a failed result for the error as data. */
export const errorMetaKey = 'dev.signalbox/error';

/**
 * A failure with advice for the model. Programs read the code and the details in `_meta`;
 * `structuredContent` must conform to the output schema of the tool.
 */
export class WeatherError extends ToolError {
  readonly code: WeatherErrorCode;
  readonly details: WeatherErrorDetails;

  constructor(
    code: WeatherErrorCode,
    message: string,
    options: WeatherErrorDetails & { cause?: unknown } = {},
  ) {
    const { cause, ...details } = options;
    super(message, { meta: { [errorMetaKey]: { code, ...details } }, cause });
    this.name = 'WeatherError';
    this.code = code;
    this.details = details;
  }
}
