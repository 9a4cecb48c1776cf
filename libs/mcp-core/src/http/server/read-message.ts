import { ErrorCode } from '../../protocol/errors.ts';
import { headerOf, type HttpExchange } from './http-exchange.ts';
import { answerError, answerPlain } from './json-answers.ts';

const JSON_TYPE = /^application\/json\s*(?:;|$)/iu;

/** Reads the JSON value of a POST and hands it over; answers what is none, or longer than `maxBytes`. */
export function readMessage(exchange: HttpExchange, maxBytes: number, take: (value: unknown) => void): void {
  const contentType = headerOf(exchange.headers, 'content-type') ?? '';
  if (contentType !== 'application/json' && !JSON_TYPE.test(contentType)) {
    answerPlain(exchange, 415, { text: 'Unsupported media type: Content-Type must be application/json' });
    return;
  }
  exchange.readBody(maxBytes, (text, failure) => {
    if (failure === 'gone') return;
    if (failure === 'too-large') {
      answerPlain(exchange, 413, { text: `Content too large: the limit is ${String(maxBytes)} bytes` });
      return;
    }
    const parsed = parse(text);
    if (parsed instanceof SyntaxError) answerError(exchange, 400, { code: ErrorCode.parseError, message: 'Parse error: the body is not JSON' });
    else take(parsed);
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return error;
  }
}
