import { ToolError } from '@signalbox/mcp-core';

export type WeatherErrorCode =
  | 'invalid-location'
  | 'unknown-place'
  | 'ambiguous-place'
  | 'choice-declined'
  | 'rate-limited'
  | 'unavailable'
  | 'timeout'
  | 'network'
  | 'invalid-response'
  | 'rejected';

/** A place the caller may have meant; `id` is accepted as a location. */
export interface Candidate {
  readonly id: string;
  readonly name: string;
  readonly admin1?: string;
  readonly country?: string;
}

export interface WeatherErrorDetails {
  readonly candidates?: readonly Candidate[];
  readonly retryAfterSeconds?: number;
}

/** A failure the model can act on: its message says what happened and what to do. */
export class WeatherError extends ToolError {
  readonly code: WeatherErrorCode;
  readonly details: WeatherErrorDetails;

  constructor(code: WeatherErrorCode, message: string, options: WeatherErrorDetails & { cause?: unknown } = {}) {
    const { cause, ...details } = options;
    super(message, { structuredContent: { error: code, message, ...details }, cause });
    this.name = 'WeatherError';
    this.code = code;
    this.details = details;
  }
}
