import { withoutByteOrderMark } from '../../jsonrpc/byte-order-mark.ts';
import { ErrorCode } from '../../protocol/errors.ts';
import { headerOf } from '../headers/http-headers.ts';
import { sendRefusal } from './authenticated-access.ts';
import type { HttpExchange } from './http-exchange.ts';
import { sendError, sendText } from './json-responses.ts';
import { isUtf8 } from '../../jsonrpc/utf8.ts';

const JSON_TYPE = /^application\/json\s*(?:;|$)/iu;

/**
 * Reads the JSON value of a POST and passes it on; responds with an error when it is not JSON, or
 * longer than `maxBytes`.
 */
export function readMessage(
  exchange: HttpExchange,
  maxBytes: number,
  take: (value: unknown) => void,
): void {
  const contentType = headerOf(exchange.headers, 'content-type') ?? '';
  if (contentType !== 'application/json' && !JSON_TYPE.test(contentType)) {
    sendText(exchange, 415, {
      text: 'Unsupported media type: Content-Type must be application/json',
    });
    return;
  }
  exchange.readBody(maxBytes, (body, failure, isParsed) => {
    if (failure === 'gone') return;
    if (failure === 'too-large') {
      sendText(exchange, 413, {
        text: `Content too large: the limit is ${String(maxBytes)} bytes`,
      });
      return;
    }
    if (failure === 'busy') {
      sendText(exchange, 503, {
        text: 'Too many requests arrive or run',
        fields: ['retry-after', '1', 'connection', 'close'],
      });
      return;
    }
    exchange.bodyBytes = body.byteLength;
    const refusal = isParsed === true ? undefined : exchange.checkBody?.(body);
    if (refusal !== undefined) {
      sendRefusal(exchange, refusal);
      return;
    }
    const parsed = parse(body);
    if (parsed instanceof SyntaxError)
      sendError(exchange, 400, {
        code: ErrorCode.parseError,
        message: `Parse error: ${parsed.message}`,
      });
    else take(parsed);
  });
}

function parse(body: Uint8Array): unknown {
  if (!isUtf8(body)) return new SyntaxError('the body is not UTF-8');
  try {
    const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString();
    return JSON.parse(withoutByteOrderMark(text));
  } catch {
    return new SyntaxError('the body is not JSON');
  }
}
