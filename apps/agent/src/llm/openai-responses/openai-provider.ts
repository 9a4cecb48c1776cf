import type OpenAI from 'openai';
import type { LlmConfig } from '../../config/config.ts';
import { LlmError, type LlmRequest, type ProviderInfo } from '../../ports/llm-provider.ts';
import { type Endpoint, endpointOf, labelOf } from '../endpoint.ts';
import { sdkFailure } from '../sdk-failure.ts';
import { wireFetch } from '../wire-fetch.ts';
import { type WireCall, type WireLimits, WireProvider } from '../wire-provider.ts';
import { type BuiltRequest, buildRequest } from './request.ts';
import { ResponsesTranslator } from './translator.ts';

type Raw = OpenAI.Responses.ResponseStreamEvent;

const VENDOR = { provider: 'openai', name: 'OpenAI', baseUrl: 'https://api.openai.com/v1', keyVariable: 'OPENAI_API_KEY', path: '/responses' } as const;
const DEFAULT_MODEL = 'gpt-6.1-sol';
const MAX_TOOLS = 128;
const PASSED_HEADERS = new Set(['accept', 'content-type', 'user-agent']);

/** OpenAI's Responses API, at OpenAI or at a compatible server. The SDK is loaded by the first call. */
export function createOpenAiProvider(config: LlmConfig, limits: WireLimits): WireProvider<Raw> {
  const info: ProviderInfo = { provider: VENDOR.provider, model: config.model ?? DEFAULT_MODEL, scripted: false };
  return new WireProvider(
    {
      info,
      label: config.baseUrl === undefined ? VENDOR.name : `the server at ${config.baseUrl}`,
      startCall: (request, onBytes) => startCall({ request, model: request.model ?? info.model, endpoint: endpointOf({ vendor: VENDOR, ...config }) }, { limits, onBytes }),
    },
    limits,
  );
}

async function startCall(
  { request, model, endpoint }: { readonly request: LlmRequest; readonly model: string; readonly endpoint: Endpoint },
  { limits, onBytes }: { readonly limits: WireLimits; readonly onBytes: (count: number) => void },
): Promise<WireCall<Raw>> {
  const built = buildRequest(request, model, endpoint);
  assertToolCount(built, endpoint);
  const client = await createClient(endpoint, { limits, onBytes });
  const { params, warnings } = built;
  return {
    async open(signal) {
      const { data: events, request_id: requestId } = await client.responses.create(params, { signal }).withResponse();
      const translator = new ResponsesTranslator({ endpoint, model, requestId, stopSequences: request.stopSequences ?? [], warnings, requestCharacters: JSON.stringify(params).length });
      return { events, translate: (raw) => translator.translate(raw) };
    },
    toError: (error) => sdkFailure(error, endpoint, limits.clock.now()),
  };
}

/** Everything is given, so that no variable of the SDK's own can redirect the traffic or its account. */
async function createClient(endpoint: Endpoint, { limits, onBytes }: { readonly limits: WireLimits; readonly onBytes: (count: number) => void }): Promise<OpenAI> {
  const { OpenAI: Client } = await import('openai');
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
    fetch: wireFetch({ endpoint, headers: { authorization: `Bearer ${endpoint.apiKey}` }, passed: PASSED_HEADERS, onBytes, send: limits.send }),
  });
}

function assertToolCount({ params }: BuiltRequest, endpoint: Endpoint): void {
  const count = params.tools?.length ?? 0;
  if (!endpoint.isVendor || count <= MAX_TOOLS) return;
  throw new LlmError('invalid', `${labelOf(endpoint)} takes at most ${MAX_TOOLS} tools, and ${count} are offered. Choose fewer with "allow" and "deny" of the servers, or name the servers of the run.`);
}
