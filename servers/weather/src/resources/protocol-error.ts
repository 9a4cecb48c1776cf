import { ErrorCode, ProtocolError, ResourceNotFoundError } from '@signalbox/mcp-core';
import { WeatherError } from '../weather-error.ts';

/**
 * Runs a request for a resource or prompt. A `WeatherError`, which is the result of a tool only,
 * becomes an error of the protocol with the same text and data.
 */
export async function asProtocolError<T>(uri: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw error instanceof WeatherError ? protocolErrorOf(uri, error) : error;
  }
}

function protocolErrorOf(uri: string, error: WeatherError): ProtocolError {
  const data = { uri, reason: error.code, ...error.details };
  switch (error.code) {
    case 'unknown-place':
    case 'invalid-location':
    case 'invalid-arguments':
      return new ResourceNotFoundError(uri);
    case 'ambiguous-place':
    case 'choice-declined':
    case 'outside-coverage':
      return new ProtocolError(ErrorCode.invalidParams, error.message, { data, cause: error });
    default:
      return new ProtocolError(ErrorCode.internalError, error.message, { data, cause: error });
  }
}
