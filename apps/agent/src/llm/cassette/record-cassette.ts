import { appendFileSync, writeFileSync } from 'node:fs';
import { ConfigError } from '../../config/config.ts';
import { LlmError } from '../../ports/llm-provider.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Cassette, CassetteHeader, Exchange } from './exchange.ts';

/** Recorded response headers. Adapters read only these; others may identify an account. */
const KEPT_HEADERS: readonly string[] = [
  'content-type',
  'retry-after',
  'retry-after-ms',
  'x-should-retry',
  'request-id',
  'x-request-id',
];
const SECRET_HEADERS: readonly string[] = [
  'authorization',
  'x-api-key',
  'api-key',
  'proxy-authorization',
  'cookie',
];

/**
 * Sends requests over the network and records each exchange when its body has ended. Exchanges
 * without a response are omitted. After a failed write the next request is refused with an
 * `LlmError`, since the cassette is incomplete.
 * @throws ConfigError
 */
export function recordCassette(file: string, clock: Pick<Clock, 'now'>): Cassette {
  begin(file);
  let failure: unknown;
  const append = (exchange: Exchange): void => {
    try {
      appendFileSync(file, `${JSON.stringify(exchange)}\n`);
    } catch (error) {
      failure = error;
    }
  };
  return {
    async fetch(input, init) {
      if (failure !== undefined)
        throw new LlmError(
          'invalid',
          `The cassette ${file} cannot be written (${codeOf(failure)}). Make room for it, or record no cassette.`,
          { cause: failure },
        );
      const response = await fetch(input, init);
      const url = new URL(input instanceof Request ? input.url : input);
      const secrets = secretsIn(new Headers(init?.headers));
      const begun = {
        path: url.pathname,
        request: requestOf(init?.body, secrets),
        status: response.status,
        headers: headersOf(response.headers),
      };
      const write = (chunks: Exchange['chunks'], end: Exchange['end']): void => {
        append({ ...begun, chunks: withoutSecrets(chunks, secrets), end });
      };
      if (response.body === null) {
        write([], 'eof');
        return response;
      }
      return new Response(listened(response.body, { clock, signal: init?.signal, onEnd: write }), {
        status: response.status,
        statusText: response.statusText,
        headers: response.headers,
      });
    },
    unused: () => 0,
  };
}

function begin(file: string): void {
  const header: CassetteHeader = { cassette: 1 };
  try {
    writeFileSync(file, `${JSON.stringify(header)}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    const exists = (error as NodeJS.ErrnoException).code === 'EEXIST';
    throw new ConfigError(
      exists
        ? `${file}: the cassette exists; remove it to record another, or replay it`
        : `${file}: the cassette cannot be written (${codeOf(error)})`,
      { cause: error },
    );
  }
}

interface Listening {
  readonly clock: Pick<Clock, 'now'>;
  /** Aborted when the reader cancels the body. */
  readonly signal: AbortSignal | null | undefined;
  /** Called once at the end of the body. */
  readonly onEnd: (chunks: Exchange['chunks'], end: Exchange['end']) => void;
}

/** Passes the body through at the speed of its reader; pieces hold whole characters. */
function listened(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  { clock, signal, onEnd }: Listening,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const chunks: [number, string][] = [];
  const begunAt = clock.now();
  const keep = (text: string): void => {
    if (text !== '') chunks.push([clock.now() - begunAt, text]);
  };
  let isOver = false;
  const finish = (end: Exchange['end']): void => {
    if (isOver) return;
    isOver = true;
    signal?.removeEventListener('abort', onAbort);
    keep(decoder.decode());
    onEnd(chunks, end);
  };
  const onAbort = (): void => finish('cancel');
  signal?.addEventListener('abort', onAbort);
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        const read = await reader.read().catch((error: unknown) => {
          finish('error');
          throw error;
        });
        if (read.done) {
          finish('eof');
          controller.close();
          return;
        }
        keep(decoder.decode(read.value, { stream: true }));
        controller.enqueue(read.value);
      },
      async cancel(reason) {
        finish('cancel');
        await reader.cancel(reason);
      },
    },
    // Nothing is read ahead, so a slow reader slows the server down.
    { highWaterMark: 0 },
  );
}

function requestOf(body: RequestInit['body'], secrets: readonly string[]): unknown {
  return typeof body === 'string' ? (JSON.parse(redact(body, secrets)) as unknown) : undefined;
}

function headersOf(headers: Headers): Exchange['headers'] {
  return Object.fromEntries(
    KEPT_HEADERS.flatMap((name) => (headers.has(name) ? [[name, headers.get(name) ?? '']] : [])),
  );
}

function secretsIn(headers: Headers): readonly string[] {
  return SECRET_HEADERS.flatMap((name) => headers.get(name) ?? [])
    .flatMap((value) => [value, value.replace(/^\w+ /, '')])
    .filter((secret) => secret.length > 4);
}

/** Joins the pieces if a secret occurs, which may span two of them. */
function withoutSecrets(
  chunks: Exchange['chunks'],
  secrets: readonly string[],
): Exchange['chunks'] {
  const text = chunks.map(([, piece]) => piece).join('');
  return secrets.some((secret) => text.includes(secret))
    ? [[chunks.at(-1)?.[0] ?? 0, redact(text, secrets)]]
    : chunks;
}

function redact(text: string, secrets: readonly string[]): string {
  return secrets.reduce((redacted, secret) => redacted.replaceAll(secret, '[redacted]'), text);
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown error';
}
