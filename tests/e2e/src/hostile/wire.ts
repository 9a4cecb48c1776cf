import { once } from 'node:events';

/** The server's side of a raw MCP connection over stdio. It sends any bytes, valid or not. */
export interface RawHost {
  /** Writes the bytes unchanged; resolves when the reader can take more. */
  write(text: string | Buffer): Promise<void>;
  /** Answers a request with the JSON text of a result. */
  answer(id: unknown, resultText: string): Promise<void>;
  notify(method: string, paramsText: string): Promise<void>;
  /** Sends a request without waiting for its answer. Returns its id. */
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

/** Returns a JSON array of empty objects: three bytes each on the wire, twenty times as many in memory. */
export const objects = (bytes: number): string => `[${'{},'.repeat(Math.floor(bytes / 3))}{}]`;

/** Returns a JSON string of the given length. */
export const longText = (characters: number): string => `"${'x'.repeat(characters)}"`;

/** Returns nested JSON arrays. */
export const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

/** Returns a tool result with one block of text. `more` is appended to its members. */
export const textResult = (text: string, more = ''): string =>
  `{"content":[{"type":"text","text":${text}}]${more}}`;

/** Returns the params of an elicitation whose form has the given number of text fields. */
export function form(fields: number, message = '"Please fill in."', more = ''): string {
  const properties = Array.from(
    { length: fields },
    (_, index) => `"f${index}":{"type":"string"}`,
  ).join(',');
  return `{"message":${message},"requestedSchema":{"type":"object","properties":{${properties}}}${more}}`;
}
