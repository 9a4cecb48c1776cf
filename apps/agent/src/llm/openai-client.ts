import type OpenAI from 'openai';
import type { LlmConfig } from '../config/config.ts';
import { LlmError, type LlmRequest } from '../ports/llm-provider.ts';
import { type Endpoint, endpointOf, labelOf } from './endpoint.ts';
import { importInTurns } from './import-in-turns.ts';
import { wireFetch } from './wire-fetch.ts';
import type { WireLimits } from './wire-provider.ts';

const VENDOR = {
  name: 'OpenAI',
  baseUrl: 'https://api.openai.com/v1',
  keyVariable: 'OPENAI_API_KEY',
} as const;
const MAX_TOOLS = 128;
const PASSED_HEADERS = new Set(['accept', 'content-type', 'user-agent']);

export const DEFAULT_OPENAI_MODEL = 'gpt-6.1-sol';

const importSdk = importInTurns(
  [
    () => import('openai/resources/responses/responses'),
    () => import('openai/resources/beta'),
    () => import('openai/resources/admin'),
    () => import('openai/resources'),
  ],
  () => import('openai'),
);

export interface OpenAiClientOptions {
  readonly endpoint: Endpoint;
  readonly limits: WireLimits;
  readonly onBytes: (count: number) => void;
}

/** Returns the configured endpoint. @throws LlmError `auth` without a usable key */
export function openAiEndpoint(config: LlmConfig, wire: 'responses' | 'chat'): Endpoint {
  const api =
    wire === 'chat'
      ? { provider: 'openai-chat', path: '/chat/completions' }
      : { provider: 'openai', path: '/responses' };
  return endpointOf({
    vendor: { ...VENDOR, ...api, keyVariable: config.keyVariable ?? VENDOR.keyVariable },
    baseUrl: config.baseUrl,
    apiKey: config.apiKey,
  });
}

export function openAiLabel({ baseUrl }: LlmConfig): string {
  return baseUrl === undefined ? VENDOR.name : `the server at ${baseUrl}`;
}

/**
 * Loads the SDK and sets every option, so that no environment variable of the SDK can redirect the
 * traffic.
 */
export async function createOpenAiClient({
  endpoint,
  limits,
  onBytes,
}: OpenAiClientOptions): Promise<OpenAI> {
  const { OpenAI: Client } = await importSdk();
  return new Client({
    apiKey: endpoint.apiKey,
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    baseURL: endpoint.baseUrl,
    maxRetries: 0,
    timeout: limits.deadlineMs,
    logLevel: 'off',
    fetch: wireFetch({
      endpoint,
      headers: { authorization: `Bearer ${endpoint.apiKey}` },
      passed: PASSED_HEADERS,
      onBytes,
      send: limits.send,
    }),
  });
}

/** Checks the number of tools. @throws LlmError `invalid` for more tools than OpenAI accepts */
export function assertToolCount({ tools }: Pick<LlmRequest, 'tools'>, endpoint: Endpoint): void {
  if (!endpoint.isVendor || tools.length <= MAX_TOOLS) return;
  throw new LlmError(
    'invalid',
    `${labelOf(endpoint)} takes at most ${MAX_TOOLS} tools, and ${tools.length} are offered. Choose fewer with "allow" and "deny" of the servers, or name the servers of the run.`,
  );
}
