import type { Endpoint } from './endpoint.ts';
import { jsonOf, type ServerEvent } from './event-text.ts';
import { eventFailure } from './http-failure.ts';
import { STREAM_END } from './raw-events.ts';

/**
 * Parses an event of OpenAI's APIs; `STREAM_END` after the last event of an answer.
 * @throws LlmError for an event that reports an error, or is not JSON
 */
export function openAiEvent({ name, data }: ServerEvent, endpoint: Endpoint): unknown {
  if (data === '[DONE]') return STREAM_END;
  const raw = jsonOf(data, endpoint);
  if (name === 'error' || hasError(raw)) throw eventFailure(raw, endpoint);
  return raw;
}

function hasError(raw: unknown): boolean {
  return typeof raw === 'object' && raw !== null && 'error' in raw && Boolean(raw.error);
}
