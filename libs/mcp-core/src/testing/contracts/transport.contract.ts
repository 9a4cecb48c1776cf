import type { strict } from 'node:assert';
import type { Era } from '../../era/versions.ts';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import type { Server } from '../../server/server.ts';
import { backpressureChecks } from './transport-backpressure.contract.ts';
import {
  call,
  discover,
  runCheck,
  send,
  soon,
  start,
  type Bench,
  type Check,
  type ServedTransport,
  type TransportContractOptions,
} from './transport-bench.contract.ts';
import { WATCHED_URI } from './transport-contract-server.ts';

/** A requirement on transports. `run` rejects when the transport violates it. */
export interface TransportCheck {
  readonly name: string;
  /** Runs the check. */
  readonly run: () => Promise<void>;
}

/**
 * The requirements on every transport, as checks for any test runner: a client and a server of both
 * eras exchange all kinds of messages over it, in its two halves. `serve` serves the given server
 * over the transport and is called once per check. A check takes at most 60 s for each step. With
 * `openStalled`, two more checks have up to 32 MiB sent to a client that does not read.
 * @example
 * ```ts
 * import { test } from 'node:test';
 * import { httpTransport } from '@signalbox/mcp-core/http/client';
 * import { serveHttp } from '@signalbox/mcp-core/http/server';
 * import { transportContract } from '@signalbox/mcp-core/testing/contracts';
 *
 * const checks = transportContract(async (server) => {
 *   const listener = await serveHttp(server);
 *   return {
 *     open: () => httpTransport({ url: listener.url }),
 *     close: () => listener.close(),
 *   };
 * });
 * for (const { name, run } of checks) test(name, run);
 * ```
 */
export function transportContract<Serving extends ServedTransport>(
  serve: (server: Server) => Serving | Promise<Serving>,
  options: TransportContractOptions<Serving> = {},
): readonly TransportCheck[] {
  const check = (name: string, run: (bench: Bench) => Promise<void>): TransportCheck => ({
    name,
    run: () => runCheck({ serve, ...options }, run),
  });
  // An import would load the module with the entry point, for programs that never run a check.
  const assert: typeof strict = process.getBuiltinModule('node:assert').strict;
  const checks = [
    ...bareChecks(assert),
    ...eraChecks('modern', assert),
    ...eraChecks('legacy', assert),
    ...(options.openStalled === undefined ? [] : backpressureChecks(assert)),
  ];
  return checks.map(([name, run]) => check(name, run));
}

/** Checks of a client's transport without a client. */
const bareChecks = (assert: typeof strict): readonly Check[] => [
  [
    'a transport that was not started can be closed',
    async ({ serving }) => {
      const transport = await serving.open();
      await soon(transport.close(), 'close before start');
    },
  ],
  [
    'a close is reported once, after all messages, and later messages are refused',
    async ({ serving }) => {
      const { transport, calls, response } = await start(serving);
      await soon(send(transport, discover('a')), 'send');
      await soon(response('a'), 'the response');
      await soon(Promise.all([transport.close(), transport.close()]), 'close');
      await soon(transport.close(), 'a second close');
      assert.deepEqual(calls.slice(-1), ['closed'], '`closed` is the last call after `close`');
      assert.equal(calls.filter((each) => each === 'closed').length, 1, '`closed` is called once');
      await assert.rejects(
        () => send(transport, discover('b')),
        'send after close throws or rejects',
      );
    },
  ],
  [
    'the end of the connection by the server is reported once',
    async ({ serving }) => {
      const { transport, calls, closed, response } = await start(serving);
      await soon(send(transport, discover('a')), 'send');
      await soon(response('a'), 'the response');
      await soon(serving.close(), 'closing the server');
      if (transport.hasStreamPerRequest !== true) await soon(closed, '`closed`');
      await soon(transport.close(), 'close after the end');
      assert.equal(calls.filter((each) => each === 'closed').length, 1, '`closed` is called once');
    },
  ],
  [
    'a message that cannot be serialized is refused, and the connection continues',
    async ({ serving }) => {
      const { transport, response } = await start(serving);
      await assert.rejects(() => send(transport, discover('a', { count: 1n })));
      await soon(send(transport, discover('b')), 'send');
      await soon(response('b'), 'the response');
      await transport.close();
    },
  ],
  [
    'a message is serialized before send returns',
    async ({ serving, echoed }) => {
      const { transport, response } = await start(serving);
      const message = call('a', 'echo', { text: 'before' });
      const sent = send(transport, message);
      (message.params as { arguments: JsonObject }).arguments.text = 'after';
      await soon(sent, 'send');
      await soon(response('a'), 'the response');
      assert.deepEqual(echoed, ['before'], 'the message that was passed to send arrives');
      await transport.close();
    },
  ],
  [
    'a client detects the era of the server',
    async ({ connect }) => {
      // A process can take long until it answers.
      const options = { limits: { probeTimeoutMs: 60_000 } };
      const client = await soon(connect('auto', options), 'connecting');
      assert.equal(client.server.era, 'modern');
    },
  ],
];

/** Checks of a client and a server, in one era. */
function eraChecks(era: Era, assert: typeof strict): readonly Check[] {
  return [
    [
      `${era}: texts of all characters and lengths arrive unchanged`,
      async ({ connect }) => {
        const client = await soon(connect(era), 'connecting');
        const texts = [
          '',
          'a\nb\r\nc\u2028d\u2029e\0',
          'größe 🧵 \ud800',
          'data: x\n\nevent: message',
          'ä'.repeat(512 * 1024),
        ];
        for (const text of texts) {
          const { structuredContent } = await soon(client.callTool('echo', { text }), 'a call');
          assert.ok(
            (structuredContent as JsonObject).text === text,
            `the text of ${String(text.length)} characters changed`,
          );
        }
      },
    ],
    [
      `${era}: calls at the same time get their own results, in order where they share a stream`,
      async ({ connect, opened, echoed }) => {
        const client = await soon(connect(era), 'connecting');
        const texts = Array.from({ length: 64 }, (_, index) => `${String(index)} `.repeat(2000));
        const results = await soon(
          Promise.all(texts.map((text) => client.callTool('echo', { text }))),
          'all calls',
        );
        assert.deepEqual(
          results.map(({ structuredContent }) => structuredContent),
          texts.map((text) => ({ text })),
        );
        if (opened[0]?.hasStreamPerRequest !== true)
          assert.deepEqual(echoed, texts, 'the calls arrive in the order of send');
      },
    ],
    [
      `${era}: progress arrives completely, in order and before the result`,
      async ({ connect }) => {
        const client = await soon(connect(era), 'connecting');
        const seen: number[] = [];
        const onProgress = ({ progress }: { readonly progress: number }): void => {
          seen.push(progress);
        };
        await soon(client.callTool('count', { to: 200 }, { onProgress }), 'the call');
        assert.deepEqual(
          seen,
          Array.from({ length: 200 }, (_, index) => index + 1),
        );
      },
    ],
    [
      `${era}: a cancelled call aborts its handler, and the connection continues`,
      async ({ connect, held, aborted }) => {
        const client = await soon(connect(era), 'connecting');
        const controller = new AbortController();
        const calling = client.callTool('hold', {}, { signal: controller.signal });
        const rejected = assert.rejects(calling, { code: 'request-cancelled' });
        await soon(held, 'the handler');
        controller.abort();
        await soon(rejected, 'the rejection');
        await soon(aborted, "the abort of the handler's signal");
        await soon(client.callTool('echo', { text: 'x' }), 'the next call');
      },
    ],
    [
      `${era}: a handler gets input from the client`,
      async ({ connect }) => {
        const handlers = { elicit: () => Promise.resolve({ action: 'decline' as const }) };
        const client = await soon(connect(era, { handlers }), 'connecting');
        const { structuredContent } = await soon(client.callTool('ask', {}), 'the call');
        assert.deepEqual(structuredContent, { action: 'decline' });
      },
    ],
    [
      `${era}: a change that no request caused reaches the client`,
      async ({ connect, server }) => {
        const client = await soon(connect(era), 'connecting');
        const updated = Promise.withResolvers<string>();
        const handlers = { resources: [WATCHED_URI], onResourceUpdated: updated.resolve };
        const watch = await soon(client.watch(handlers), 'the subscription');
        server.changes.resourceUpdated(WATCHED_URI);
        assert.equal(await soon(updated.promise, 'the change'), WATCHED_URI);
        await soon(watch.close(), 'the end of the subscription');
      },
    ],
    [
      `${era}: a client that closes aborts its running handlers`,
      async ({ connect, held, aborted }) => {
        const client = await soon(connect(era), 'connecting');
        const rejected = assert.rejects(client.callTool('hold', {}));
        await soon(held, 'the handler');
        await soon(client.close(), 'close');
        await soon(rejected, 'the rejection of the call');
        await soon(aborted, "the abort of the handler's signal");
      },
    ],
    [
      `${era}: a server that closes fails the calls that wait`,
      async ({ connect, serving, held, aborted }) => {
        const client = await soon(connect(era), 'connecting');
        const rejected = assert.rejects(client.callTool('hold', {}));
        await soon(held, 'the handler');
        await soon(serving.close(), 'closing the server');
        await soon(rejected, 'the rejection of the call');
        await soon(aborted, "the abort of the handler's signal");
      },
    ],
  ];
}
