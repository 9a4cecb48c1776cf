import type { ServerResponse } from 'node:http';
import type { OAuthError } from './oauth-error.ts';

/** An HTTP response, or none at all. */
export type Answer =
  | 'never'
  | {
      readonly status?: number;
      readonly headers?: { readonly [name: string]: string };
      readonly json?: unknown;
      /** Body instead of `json`. */
      readonly text?: string;
    };

/** A page of a server that is not the expected one. */
export const HTML: Answer = {
  headers: { 'content-type': 'text/html' },
  text: '<!doctype html><title>Sign in</title>',
};

/** A JSON body that is larger than a client should read. */
export const HUGE: Answer = {
  headers: { 'content-type': 'application/json' },
  text: `{"filler":"${'x'.repeat(2 ** 20)}"}`,
};

/** Returns a redirect. */
export function redirectTo(location: string, status = 302): Answer {
  return { status, headers: { location }, text: '' };
}

/** Returns the response of an error. */
export function answerOf({ error, message, status, headers }: OAuthError): Answer {
  return { status, headers, json: { error, error_description: message } };
}

/** Sends an answer. */
export function sendAnswer(response: ServerResponse, answer: Answer): void {
  if (answer === 'never') return;
  const { status = 200, headers = {}, json, text } = answer;
  response.writeHead(status, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    ...headers,
  });
  response.end(text ?? JSON.stringify(json ?? {}));
}
