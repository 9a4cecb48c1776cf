import { LOOSE_ID } from './expected-responses.ts';
import { MAX_LINE_BYTES } from './fuzz-server.ts';
import type { FuzzMessage, FuzzSession } from './fuzz-target.ts';
import type { Random } from './random.ts';

type Json = unknown;
interface JsonMembers {
  [member: string]: Json;
}

const CLIENT = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'fuzz', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const METHODS = [
  ...([
    'ping',
    'tools/list',
    'tools/call',
    'resources/read',
    'prompts/get',
    'completion/complete',
    'server/discover',
    'tasks/get',
    'logging/setLevel',
  ] as const),
  ...([
    '',
    'tools/',
    'constructor',
    '__proto__',
    'notifications/initialized',
    'rpc.discover',
    '\u0000',
  ] as const),
] as const;
const TOOLS = [
  'echo',
  'mirror',
  'later',
  'fail',
  'unwritable',
  'nothing',
  'missing',
  'constructor',
  '',
] as const;
const TEXTS = [
  '',
  'a',
  'grün',
  '日本語',
  '🚂',
  '\ud800',
  '\u2028',
  '"\\\n',
  'x'.repeat(2000),
] as const;
const GARBAGE = [
  'Listening on port 80',
  '{',
  '{"jsonrpc":"2.0","id":1,"method":"ping"',
  '[1,',
  'undefined',
  '{"a":1}{"b":2}',
  "{'a':1}",
  '\u0001',
  '"\\x"',
] as const;

/** Generates hostile messages; equal random choices give equal messages. */
export class MessageSource {
  readonly #random: Random;
  readonly #session: FuzzSession;
  #lastId = 0;

  constructor(random: Random, session: FuzzSession) {
    this.#random = random;
    this.#session = session;
  }

  /**
   * Returns a message, mostly a request. `isText` allows text that is not JSON, or JSON only as
   * text.
   */
  next(isText: boolean): FuzzMessage {
    if (isText && this.#random.chance(12)) return this.#unreadable();
    if (isText && this.#random.chance(2000)) return this.#deep();
    return fromJson(
      this.#random.chance(15)
        ? Array.from({ length: this.#random.below(8) }, () => this.#message())
        : this.#message(),
    );
  }

  #message(): Json {
    const choice = this.#random.below(20);
    if (choice < 11) return this.#request();
    if (choice < 14) return this.#damaged(this.#request());
    if (choice < 16) return this.#notification();
    if (choice < 18) return this.#damaged(this.#answer());
    if (choice < 19) return this.#looseRequest();
    return this.#value(0);
  }

  #request(): JsonMembers {
    const method = this.#random.chance(2) ? 'tools/call' : this.#random.pick(METHODS);
    return { jsonrpc: '2.0', id: this.#id(), method, params: this.#params(method) };
  }

  #params(method: string): Json {
    const meta =
      this.#session === 'modern'
        ? {
            _meta: this.#random.chance(10)
              ? this.#value(0)
              : { ...CLIENT, progressToken: this.#value(2) },
          }
        : {};
    if (method !== 'tools/call')
      return {
        ...meta,
        uri: this.#value(2),
        name: this.#value(2),
        cursor: this.#random.chance(2) ? undefined : this.#value(2),
      };
    return {
      ...meta,
      name: this.#random.pick(TOOLS),
      arguments: this.#random.chance(6) ? this.#value(0) : { value: this.#value(0) },
    };
  }

  /** Returns a request that stays open or is cancelled. */
  #looseRequest(): JsonMembers {
    const requestId = `${LOOSE_ID}${String(this.#random.below(50))}`;
    if (this.#random.chance(2))
      return {
        jsonrpc: '2.0',
        method: 'notifications/cancelled',
        params: { requestId, reason: this.#value(1) },
      };
    const method = this.#random.chance(2) ? 'subscriptions/listen' : 'tools/call';
    return {
      jsonrpc: '2.0',
      id: requestId,
      method,
      params: {
        ...(this.#params('tools/call') as JsonMembers),
        name: 'later',
        notifications: { toolsListChanged: true },
      },
    };
  }

  #notification(): JsonMembers {
    const method = this.#random.pick([
      'notifications/progress',
      'notifications/roots/list_changed',
      'notifications/message',
      'notifications/cancelled',
      'x',
    ]);
    return {
      jsonrpc: '2.0',
      method,
      params: { requestId: 'nobody', progressToken: this.#value(2), progress: this.#value(2) },
    };
  }

  #answer(): JsonMembers {
    return this.#random.chance(2)
      ? { jsonrpc: '2.0', id: this.#id(), result: this.#value(0) }
      : { jsonrpc: '2.0', id: this.#id(), error: this.#value(0) };
  }

  /** Removes, replaces or adds a member. */
  #damaged(message: JsonMembers): JsonMembers {
    const member = this.#random.pick([
      'jsonrpc',
      'id',
      'method',
      'params',
      'result',
      'error',
      'extra',
      '__proto__',
    ]);
    const { [member]: _lost, ...rest } = message;
    return this.#random.chance(2) ? rest : { ...rest, [member]: this.#value(0) };
  }

  /** Returns an id; some are reused, even while their request runs. */
  #id(): string | number {
    if (this.#random.chance(20))
      return this.#random.pick([0, -1, '', '0', '1', 'null', Number.MAX_SAFE_INTEGER]);
    if (!this.#random.chance(10)) this.#lastId += 1;
    return this.#random.chance(4) ? String(this.#lastId) : this.#lastId;
  }

  #value(depth: number): Json {
    switch (this.#random.below(depth > 3 ? 6 : 8)) {
      case 0:
        return null;
      case 1:
        return this.#random.chance(2);
      case 2:
        return this.#random.pick([0, -1, 1.5, 1e300, 2 ** 53, 4]);
      case 6:
        return Array.from({ length: this.#random.below(4) }, () => this.#value(depth + 1));
      case 7:
        return Object.fromEntries(
          Array.from({ length: this.#random.below(4) }, () => [
            this.#random.pick(TEXTS),
            this.#value(depth + 1),
          ]),
        );
      default:
        return this.#random.pick(TEXTS);
    }
  }

  #unreadable(): FuzzMessage {
    if (this.#random.chance(300)) return this.#tooLong();
    if (this.#random.chance(4))
      return {
        bytes: Buffer.concat([
          Buffer.from('{"jsonrpc":"2.0","id":7,"method":"'),
          Buffer.from([0xff, 0xc0, 0x80]),
          Buffer.from('"}'),
        ]),
      };
    return { bytes: Buffer.from(this.#random.pick(GARBAGE)) };
  }

  /** Returns a request over the length limit, by a byte or by far. */
  #tooLong(): FuzzMessage {
    const value = {
      ...this.#request(),
      id: `too long ${String(this.#random.below(1000))}`,
    } as Json;
    const length = MAX_LINE_BYTES + 1 + this.#random.below(2) * this.#random.below(MAX_LINE_BYTES);
    return { bytes: Buffer.from(JSON.stringify(value).padEnd(length)), json: { value } };
  }

  #deep(): FuzzMessage {
    const levels = 100_000;
    const request = JSON.stringify({
      jsonrpc: '2.0',
      id: this.#id(),
      method: 'tools/call',
      params: {
        ...(this.#params('tools/call') as JsonMembers),
        name: 'mirror',
        arguments: { value: 'DEEP' },
      },
    });
    const text = request.replace('"DEEP"', '['.repeat(levels) + ']'.repeat(levels));
    return { bytes: Buffer.from(text), json: { value: JSON.parse(text) as Json } };
  }
}

function fromJson(value: Json): FuzzMessage {
  const text = JSON.stringify(value);
  return { bytes: Buffer.from(text), json: { value: JSON.parse(text) as Json } };
}
