import { LlmError } from '../ports/llm-provider.ts';

/** The far end of a wire, as messages name it. */
export interface Endpoint {
  /** `openai` or `anthropic`, or `openai-chat` for the older of OpenAI's APIs: native items belong to one API. */
  readonly provider: string;
  /** The vendor's name. */
  readonly vendor: string;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** Whether it is the vendor's own address and not a compatible server's. */
  readonly isVendor: boolean;
  readonly keyVariable: string;
  /** Path of the one operation used, for a 404's remedy. */
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
 * A compatible server may need no key; the vendor always does.
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

/** How messages call the far end. */
export function labelOf({ vendor, baseUrl, isVendor }: Endpoint): string {
  return isVendor ? vendor : `The server at ${baseUrl}`;
}

/** Marks native items, so that they go back only where they came from. */
export function nativeProviderOf({ provider, baseUrl, isVendor }: Endpoint): string {
  return isVendor ? provider : `${provider} at ${baseUrl}`;
}
