import { registerHooks } from 'node:module';

interface Guard {
  readonly file: string;
  readonly guard: string;
  readonly broken: string;
  /** Target that detects the missing guard; default `stdio`. */
  readonly target?: string;
}

export const NO_SUCH_GUARD = 'no such text in';

/** Guards whose removal the fuzzer must detect. */
export const guards: { readonly [name: string]: Guard } = {
  'unwritable-answers': {
    file: 'jsonrpc/peer.ts',
    guard: 'if (!this.#isClosed) await this.#sendInstead(message);',
    broken: '',
  },
  'whole-batches': {
    file: 'jsonrpc/batch-entries.ts',
    guard: 'if (missing === 0)',
    broken: 'if (missing === 1)',
  },
  'answered-requests': {
    file: 'jsonrpc/peer.ts',
    guard: 'if (this.#running?.get(request.id) === running) this.#running.delete(request.id);',
    broken: '',
  },
  'id-shape': {
    file: 'jsonrpc/envelope.ts',
    guard: "typeof value === 'string' || Number.isSafeInteger(value)",
    broken: "typeof value === 'string' || typeof value === 'number'",
  },
  'line-limit': {
    file: 'jsonrpc/line-reader.ts',
    guard: 'this.#limits = limits;',
    broken: 'this.#limits = { ...limits, maxBytes: Infinity };',
  },
  'json-errors': {
    file: 'jsonrpc/line-reader.ts',
    guard: "if (text.trim() !== '')",
    broken: "if (text.trim() === '')",
  },
  'utf-8': { file: 'jsonrpc/line-reader.ts', guard: 'isUtf8(bytes) ?', broken: 'true ?' },
  'split-lines': {
    file: 'jsonrpc/line-reader.ts',
    guard: 'this.#refused !== undefined || this.#pieces.length > 0 ?',
    broken: 'this.#refused !== undefined ?',
  },
  'last-write': {
    file: 'jsonrpc/line-writer.ts',
    guard: 'else if (!this.#isFlushPlanned) this.#planFlush();',
    broken: '',
  },
  'cancel-on-leave': {
    file: 'http/server/standalone-request.ts',
    guard: 'if (this.legacyVersion === undefined) this.#cancel();',
    broken: '',
    target: 'disconnects',
  },
  'running-requests': {
    file: 'http/server/mcp-endpoint.ts',
    guard: 'this.#running -= 1;',
    broken: '',
    target: 'disconnects',
  },
  'left-streams': {
    file: 'http/server/event-stream.ts',
    guard: 'if (this.#connection === exchange) this.#connection = undefined;',
    broken: '',
    target: 'disconnects',
  },
  'closed-while-connecting': {
    file: 'http/server/sessions.ts',
    guard: 'if (exchange.isGone() || !this.#sessions.has(sessionId)) {',
    broken: 'if (false) {',
    target: 'disconnects',
  },
  'cancelled-readers': {
    file: 'http/server/web-exchange.ts',
    guard: 'cancel: () => {\n          this.#gone();',
    broken: 'cancel: () => {',
    target: 'disconnects',
  },
  'detached-streams': {
    file: 'server/subscriptions/listen.ts',
    guard: 'server.changes.remove(stream);',
    broken: '',
    target: 'disconnects',
  },
  'detached-signals': {
    file: 'server/subscriptions/listen.ts',
    guard: "for (const signal of signals) signal.removeEventListener('abort', stopNow);",
    broken: '',
    target: 'disconnects',
  },
  'late-events': {
    file: 'http/server/session-transport.ts',
    guard: 'if (this.#storing !== undefined) await Promise.all(this.#storing);',
    broken: '',
    target: 'disconnects',
  },
  'ended-before-delivery': {
    file: 'http/server/legacy-sse-endpoint.ts',
    guard: 'const transport = this.#find(id, auth);',
    broken: 'const transport = found;',
    target: 'disconnects',
  },
  'aborted-batches': {
    file: 'http/server/stateless-batch.ts',
    guard: 'exchanges.add(this);',
    broken: '',
    target: 'disconnects',
  },
  'abandoned-sessions': {
    file: 'http/server/session-post.ts',
    guard: 'return this.#stream?.isConnected ?? !this.#exchange.isGone();',
    broken: 'return true;',
    target: 'disconnects',
  },
  'ended-waits': {
    file: 'http/server/node-exchange.ts',
    guard: 'this.#drained?.settle();',
    broken: '',
    target: 'disconnects',
  },
};

/**
 * Loads the file of a guard without the guard.
 * @throws Error when the guard is missing from the file
 */
export function breakGuard(name: string): void {
  const found = guards[name];
  if (found === undefined)
    throw new Error(`there is no guard ${name}; there are ${Object.keys(guards).join(', ')}`);
  registerHooks({
    load: (url, context, nextLoad) => {
      const module = nextLoad(url, context);
      if (!url.endsWith(`/src/${found.file}`)) return module;
      const source = Buffer.from(module.source as Uint8Array).toString();
      if (!source.includes(found.guard))
        throw new Error(`${NO_SUCH_GUARD} ${found.file}: ${found.guard}`);
      return { ...module, source: source.replace(found.guard, found.broken) };
    },
  });
}
