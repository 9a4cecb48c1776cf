import { registerHooks } from 'node:module';

interface Guard {
  readonly file: string;
  readonly guard: string;
  readonly broken: string;
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
