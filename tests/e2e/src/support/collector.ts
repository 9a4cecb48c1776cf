import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

type Value =
  | { readonly stringValue: string }
  | { readonly intValue: number }
  | { readonly boolValue: boolean }
  | { readonly arrayValue: { readonly values: readonly Value[] } };
type Attributes = readonly { readonly key: string; readonly value: Value }[];

/** A span as OTLP/JSON has it. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: Attributes;
}

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Attributes };
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
  }[];
}

export interface Collector {
  readonly endpoint: string;
  readonly headers: readonly NodeJS.Dict<string | readonly string[]>[];
  readonly bodies: readonly string[];
  spans(): readonly Span[];
  close(): void;
}

/** Starts a receiver of traces in OTLP/JSON over HTTP. */
export async function startCollector(): Promise<Collector> {
  const bodies: string[] = [];
  const headers: Collector['headers'][number][] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      bodies.push(body);
      headers.push(request.headers);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    headers,
    bodies,
    spans: () =>
      bodies.flatMap((body) =>
        (JSON.parse(body) as Export).resourceSpans.flatMap(({ scopeSpans }) =>
          scopeSpans.flatMap(({ spans }) => spans),
        ),
      ),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
