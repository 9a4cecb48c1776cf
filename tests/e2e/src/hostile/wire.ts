import { once } from 'node:events';

/** One side of a raw MCP connection over stdio, which sends what no library would. */
export interface RawHost {
  /** Writes bytes as they are, and waits while the reader is slow. */
  write(text: string | Buffer): Promise<void>;
  /** Answers a request with the JSON text of a result. */
  answer(id: unknown, resultText: string): Promise<void>;
  notify(method: string, paramsText: string): Promise<void>;
  /** Sends a request and does not wait for its answer. Returns its id. */
  ask(method: string, paramsText: string): Promise<string>;
}

let asked = 0;

export const rawHost: RawHost = {
  async write(text) {
    if (!process.stdout.write(text)) await once(process.stdout, 'drain');
  },
  answer: (id, resultText) =>
    rawHost.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${resultText}}\n`),
  notify: (method, paramsText) =>
    rawHost.write(`{"jsonrpc":"2.0","method":"${method}","params":${paramsText}}\n`),
  async ask(method, paramsText) {
    asked += 1;
    const id = `q${asked}`;
    await rawHost.write(
      `{"jsonrpc":"2.0","id":"${id}","method":"${method}","params":${paramsText}}\n`,
    );
    return id;
  },
};

export const MB = 2 ** 20;

/** A JSON array of empty objects: three bytes each on the wire, twenty times as much in memory. */
export const objects = (bytes: number): string => `[${'{},'.repeat(Math.floor(bytes / 3))}{}]`;

/** A JSON string of that many characters. */
export const longText = (characters: number): string => `"${'x'.repeat(characters)}"`;

/** An array in an array and so on. */
export const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

/** The text content of a tool result. */
export const textResult = (text: string, more = ''): string =>
  `{"content":[{"type":"text","text":${text}}]${more}}`;

/** Params of an elicitation with a form of that many text fields. */
export function form(fields: number, message = '"Please fill in."', more = ''): string {
  const properties = Array.from(
    { length: fields },
    (_, index) => `"f${index}":{"type":"string"}`,
  ).join(',');
  return `{"message":${message},"requestedSchema":{"type":"object","properties":{${properties}}}${more}}`;
}
