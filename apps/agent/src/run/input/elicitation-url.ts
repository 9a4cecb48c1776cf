import { domainToUnicode } from 'node:url';
import {
  ErrorCode,
  ProtocolError,
  type ElicitUrlParams,
  type JsonObject,
} from '@signalbox/mcp-core';
import { checkMessage } from './elicitation-form.ts';

/** The longest address that is shown to a person. */
const MAX_CHARACTERS = 8192;

/** The longest id that a server may give a visit. */
const MAX_ID_CHARACTERS = 1024;

/**
 * What a person sees who is asked to open an address: all of it, the host apart, and what is suspicious about it. Nothing is ever fetched from it here.
 * @throws ProtocolError when it is no address that a browser could be sent to without harm
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#safe-url-handling
 */
export function urlRequest({ message, url, elicitationId }: ElicitUrlParams): JsonObject {
  checkMessage(message);
  if (elicitationId !== undefined && elicitationId.length > MAX_ID_CHARACTERS)
    throw new ProtocolError(
      ErrorCode.invalidParams,
      `elicitationId may have at most ${MAX_ID_CHARACTERS} characters`,
    );
  const parsed = url.length <= MAX_CHARACTERS && URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== 'https:' && parsed?.protocol !== 'http:')
    throw new ProtocolError(
      ErrorCode.invalidParams,
      `url must be an http or https URL of at most ${MAX_CHARACTERS} characters`,
    );
  return {
    message,
    url,
    host: parsed.host,
    warnings: warningsOf(parsed),
    elicitation_id: elicitationId,
  };
}

function warningsOf({ protocol, hostname, username, password }: URL): readonly string[] {
  const isLocal =
    hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(hostname);
  const isDisguised = hostname.split('.').some((label) => label.startsWith('xn--'));
  return [
    ...(protocol === 'http:' && !isLocal
      ? ['What is sent to this address can be read on the way: it is not https.']
      : []),
    ...(isDisguised
      ? [`The host name has letters that may look like others: ${domainToUnicode(hostname)}`]
      : []),
    ...(username === '' && password === ''
      ? []
      : [`What stands before the @ is not the host, which is ${hostname}.`]),
  ];
}
