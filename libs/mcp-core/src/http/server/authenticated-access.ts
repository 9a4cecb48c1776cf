import type { GrantedAccess, RefusedAccess } from './authentication.ts';
import type { HttpExchange } from './http-exchange.ts';
import { JSON_FIELDS, sendText } from './json-responses.ts';

const REASONS = {
  400: 'Bad request',
  401: 'Unauthorized',
  403: 'Forbidden',
  503: 'Service unavailable',
} as const;

/** Responds to a request that was not authenticated. */
export function sendRefusal(exchange: HttpExchange, decision: RefusedAccess): void {
  const { refused, challenge = refused === 503 ? undefined : 'Bearer' } = decision;
  addFieldsOf(exchange, decision);
  sendText(exchange, refused, {
    text: REASONS[refused],
    fields: challenge === undefined ? [] : ['www-authenticate', challenge],
  });
}

/** Adds the header fields of a decision to the response. */
export function addFieldsOf(
  exchange: HttpExchange,
  { headers }: GrantedAccess | RefusedAccess,
): void {
  if (headers !== undefined) exchange.addFields(Object.entries(headers).flat());
}

/** Fields that let pages of every origin read a document. */
const PUBLIC_FIELDS = ['access-control-allow-origin', '*', 'cache-control', 'max-age=300'] as const;

/** Responds with a public JSON document, which pages of every origin may read. */
export function serveDocument(exchange: HttpExchange, json: string): void {
  switch (exchange.method) {
    case 'GET':
      exchange.respond(200, [...JSON_FIELDS, ...PUBLIC_FIELDS], json);
      return;
    case 'OPTIONS':
      exchange.respond(
        204,
        [
          ...PUBLIC_FIELDS,
          'access-control-allow-methods',
          'GET',
          'access-control-allow-headers',
          '*',
        ],
        '',
      );
      return;
    default:
      sendText(exchange, 405, { text: 'Method not allowed', fields: ['allow', 'GET'] });
  }
}
