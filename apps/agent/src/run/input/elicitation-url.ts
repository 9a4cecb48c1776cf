import { domainToUnicode } from 'node:url';
import {
  ErrorCode,
  ProtocolError,
  type ElicitUrlParams,
  type JsonObject,
} from '@signalbox/mcp-core';
import { checkMessage } from './elicitation-form.ts';

/** Longest URL that is shown to a person, in characters. */
const MAX_CHARACTERS = 8192;

/** Longest id that a server may give an elicitation, in characters. */
const MAX_ID_CHARACTERS = 1024;

/**
 * Checks a URL elicitation. Returns the request of its inbox item: the whole URL, its host, and
 * warnings. The URL is never fetched here.
 * @throws ProtocolError when it is not an http or https URL
 * @@see
 * https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#safe-url-handling
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
      ? ['The address is not https: others can read what is sent to it.']
      : []),
    ...(isDisguised
      ? [`The host name has letters that may look like others: ${domainToUnicode(hostname)}`]
      : []),
    ...(username === '' && password === ''
      ? []
      : [`The text before the @ is not the host, which is ${hostname}.`]),
  ];
}
