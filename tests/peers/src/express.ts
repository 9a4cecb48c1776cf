import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';

/** A request whose body a parser has read. */
export interface ExpressRequest extends IncomingMessage {
  readonly body?: unknown;
}

export interface ExpressApp extends RequestListener {
  use(parser: unknown): void;
  all(path: string, handler: (request: ExpressRequest, response: ServerResponse) => void): void;
}

interface Express {
  (): ExpressApp;
  readonly json: () => unknown;
}

const sdk = createRequire(import.meta.url).resolve('@modelcontextprotocol/sdk/server/index.js');

/** The express of the official SDK v1, which depends on it. */
export const express = createRequire(sdk)('express') as Express;
