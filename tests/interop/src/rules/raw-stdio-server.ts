import { PassThrough } from 'node:stream';
import type { Transport } from '@signalbox/mcp-core';
import { StreamTransport } from '@signalbox/mcp-core/stdio';
import { Inbox, type Message } from './message.ts';
import type { RawServer, Script } from './script.ts';

/** Plays its script over a pair of streams, one line per message. */
export class RawStdioServer implements RawServer {
  readonly inbox = new Inbox();
  /** Lines that the client wrote. */
  readonly lines: string[] = [];
  readonly #script: Script;
  #output = new PassThrough();
  #rest = '';

  constructor(script: Script) {
    this.#script = script;
  }

  open(): Transport {
    const input = new PassThrough();
    this.#output = new PassThrough();
    input.setEncoding('utf8').on('data', (chunk: string) => {
      const parts = (this.#rest + chunk).split('\n');
      this.#rest = parts.pop() ?? '';
      for (const line of parts) this.#take(line);
    });
    return new StreamTransport({ input: this.#output, output: input, maxLineBytes: 1_000_000 });
  }

  send(message: unknown): void {
    this.write(`${JSON.stringify(message)}\n`);
  }

  write(text: string): void {
    this.#output.write(text);
  }

  crash(): void {
    this.#output.destroy();
  }

  close(): Promise<void> {
    this.#output.end();
    return Promise.resolve();
  }

  #take(line: string): void {
    this.lines.push(line);
    for (const message of [JSON.parse(line) as Message | Message[]].flat()) {
      this.inbox.add(message);
      if (message.method !== undefined && message.id !== undefined) void this.#answer(message);
    }
  }

  async #answer(request: Message): Promise<void> {
    const reply = await this.#script[request.method ?? '']?.(request, this);
    if (reply !== undefined) this.send({ jsonrpc: '2.0', id: request.id, ...reply });
  }
}
