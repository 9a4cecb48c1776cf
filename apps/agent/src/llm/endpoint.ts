import { LlmError } from '../ports/llm-provider.ts';

/** Endpoint of a model API. */
export interface Endpoint {
  /**
   * `openai` or `anthropic`, or `openai-chat` for Chat Completions: native items are bound to one
   * API.
   */
  readonly provider: string;
  /** Vendor's name. */
  readonly vendor: string;
  /** Base URL without a trailing slash. */
  readonly baseUrl: string;
  /** Whether the address belongs to the vendor, not to a compatible server. */
  readonly isVendor: boolean;
  readonly keyVariable: string;
  /** Path of the operation, for the remedy of a 404. */
  readonly path: string;
  readonly apiKey: string;
}

export interface EndpointOptions {
  readonly vendor: {
    readonly provider: string;
    readonly name: string;
    readonly baseUrl: string;
    readonly keyVariable: string;
    readonly path: string;
  };
  readonly baseUrl: string | undefined;
  readonly apiKey: string | undefined;
}

/**
 * Returns the endpoint. Only the vendor's own address requires a key.
 * @throws LlmError `auth` without a usable key
 */
export function endpointOf({ vendor, baseUrl, apiKey }: EndpointOptions): Endpoint {
  const url = (baseUrl ?? vendor.baseUrl).replace(/\/+$/, '');
  const isVendor = new URL(url).host === new URL(vendor.baseUrl).host;
  if (apiKey === undefined && isVendor)
    throw new LlmError(
      'auth',
      `There is no API key for ${vendor.name}. Set ${vendor.keyVariable} and start again.`,
    );
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new LlmError(
      'auth',
      `The API key in ${vendor.keyVariable} holds characters that no key has (a space or a line break, perhaps). Set ${vendor.keyVariable} to the key alone.`,
    );
  }
  return {
    provider: vendor.provider,
    vendor: vendor.name,
    baseUrl: url,
    isVendor,
    keyVariable: vendor.keyVariable,
    path: vendor.path,
    apiKey: apiKey ?? 'none',
  };
}

/** Returns the endpoint's name in messages. */
export function labelOf({ vendor, baseUrl, isVendor }: Endpoint): string {
  return isVendor ? vendor : `The server at ${baseUrl}`;
}

/** Returns the provider name of native items, which are replayed only to the same endpoint. */
export function nativeProviderOf({ provider, baseUrl, isVendor }: Endpoint): string {
  return isVendor ? provider : `${provider} at ${baseUrl}`;
}
