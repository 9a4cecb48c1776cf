import type { JsonObject } from '@signalbox/mcp-core';
import { connectInMemory } from '@signalbox/mcp-core/testing';
import { describe, expect, test } from 'vitest';
import { Key } from '../rules/message.ts';
import { openWithoutHandshake } from '../rules/raw-client.ts';
import { chosen, replay, type Line } from './replay.ts';
import {
  ANOMALY_SAMPLING,
  createSalesAnalytics,
  INSTRUCTIONS,
  STOCK_FORM,
  SUMMARY,
} from './sales-analytics.ts';

const clientInfo = { name: 'dashboard', version: '3.2.0', title: 'Dashboard' };
const serverInfo = { name: 'sales-analytics', version: '4.1.2', title: 'Sales analytics' };
const uri = 'warehouse://shop/q3_dresses';
const contents = [{ uri, mimeType: 'application/json', text: SUMMARY }];
const forecast = {
  name: 'predict_sales_trend',
  arguments: {
    product_category: 'dresses',
    time_period: 'next_quarter',
    confidence_level: 0.95,
    include_seasonality: true,
    market_factors: ['holidays', 'prices'],
  },
};
const forecasted = {
  content: [
    {
      type: 'text',
      text: 'Sales of dresses will grow by 12 to 15 %.',
      annotations: { audience: ['user'] },
    },
  ],
  structuredContent: {
    prediction: { growth: 0.135, interval: [0.12, 0.15], confidence: 0.95 },
    model: { version: '3.2', accuracy: 0.89 },
  },
};
const progress = {
  progress: 60,
  total: 100,
  message: 'Training the model, about eight minutes left',
};
const reviewParams = {
  name: 'quarterly_review',
  arguments: { quarter: 'Q3', department: 'dresses', include_comparative: 'true' },
};
const reviewed = {
  description: 'Review of Q3, dresses',
  messages: [
    {
      role: 'user',
      content: { type: 'text', text: 'Review Q3 of dresses beside the year before.' },
    },
  ],
};
const explanation = {
  role: 'assistant',
  content: { type: 'text', text: 'A campaign in July, sold out in August.' },
  model: 'claude-3-opus',
  stopReason: 'endTurn',
  _meta: { confidence: 0.87, insights: ['promotion_timing'] },
};
const explained = { structuredContent: { explanation: explanation.content, confidence: 0.87 } };
const decision = {
  action: 'accept',
  content: {
    action: 'discount',
    discount: 0.3,
    timeframe: 'next_week',
    additional_notes: 'with a campaign',
  },
};
const completionParams = {
  ref: { type: 'ref/resource', uri: 'warehouse://shop/{dataset}' },
  argument: { name: 'dataset', value: '连衣' },
  context: { arguments: { season: 'Q3', region: 'north' } },
};
const completion = {
  values: ['连衣裙夏季', '连衣裙新品', '连衣裙库存', '连衣裙促销'],
  total: 4,
  hasMore: false,
};
const logEntry = {
  level: 'info',
  logger: 'forecast_engine',
  data: { message: 'looking for patterns', dataset: '1.2M records' },
};

const client = (message: JsonObject): Line => ({ client: { jsonrpc: '2.0', ...message } });
const server = (message: JsonObject): Line => ({ server: { jsonrpc: '2.0', ...message } });
const call = (request: JsonObject & { id: string }, result: JsonObject): Line[] => [
  client(request),
  server({ id: request.id, result }),
];
const textOf = (result: { readonly structuredContent: unknown }): JsonObject => ({
  content: [{ type: 'text', text: JSON.stringify(result.structuredContent) }],
  ...result,
});

describe.each(['stdio', 'http'] as const)(
  'a session with an analytics server, 2025-06-18, over %s',
  (wire) => {
    const open = (capabilities: JsonObject, more: JsonObject = {}): Line[] => [
      client({
        id: 'init_1',
        method: 'initialize',
        params: { protocolVersion: '2025-06-18', capabilities, clientInfo },
      }),
      server({
        id: 'init_1',
        result: {
          protocolVersion: '2025-06-18',
          capabilities: {
            logging: {},
            completions: {},
            tools: { listChanged: true },
            resources: { subscribe: true, listChanged: true },
            ...more,
          },
          serverInfo,
          instructions: INSTRUCTIONS,
        },
      }),
      client({ method: 'notifications/initialized' }),
    ];
    const prompts = { prompts: { listChanged: true } };

    test('is exact, message by message, odd members included', async () => {
      const raw = await openWithoutHandshake(createSalesAnalytics(), { era: 'legacy', wire });
      await replay(raw, [
        // Capabilities of the wrong side, and unknown members, do not make the server refuse a
        // client.
        ...open(
          { resources: {}, tools: {}, elicitation: {}, sampling: { listChanged: true } },
          prompts,
        ),
        ...call(
          {
            id: 'read_1',
            method: 'resources/read',
            params: {
              uri,
              _meta: { analysis_purpose: 'trend', time_range: '2025-07-01 to 2025-09-30' },
            },
          },
          { contents },
        ),
        client({
          id: 'tool_1',
          method: 'tools/call',
          params: {
            ...forecast,
            _meta: { progressToken: 'prediction_1', business_unit: 'dresses' },
          },
        }),
        server({
          method: 'notifications/progress',
          params: { progressToken: 'prediction_1', ...progress },
        }),
        server({ id: 'tool_1', result: forecasted }),
        ...call(
          { id: 'prompt_1', method: 'prompts/get', params: reviewParams },
          { ...reviewed, _meta: { expected_length: '3 to 5 pages' } },
        ),
        ...call({ id: 'log_1', method: 'logging/setLevel', params: { level: 'info' } }, {}),
        client({ id: 'tool_2', method: 'tools/call', params: { name: 'explain_anomaly' } }),
        server({ method: 'notifications/message', params: logEntry }),
        server({
          id: chosen('sample'),
          method: 'sampling/createMessage',
          params: ANOMALY_SAMPLING,
        }),
        client({ id: chosen('sample'), result: explanation }),
        server({ id: 'tool_2', result: textOf(explained) }),
        ...call(
          { id: 'complete_1', method: 'completion/complete', params: completionParams },
          { completion },
        ),
        client({ id: 'tool_3', method: 'tools/call', params: { name: 'clear_stock' } }),
        server({
          id: chosen('elicit'),
          method: 'elicitation/create',
          params: { message: STOCK_FORM.message, requestedSchema: STOCK_FORM.requestedSchema },
        }),
        // A member that the form lacks does not cause another input request.
        client({ id: chosen('elicit'), result: decision }),
        server({ id: 'tool_3', result: expect.objectContaining({ structuredContent: decision }) }),
        ...call(
          { id: 'ping_1', method: 'ping', params: { _meta: { client_session: 'session_1' } } },
          {},
        ),
        client({
          method: 'notifications/cancelled',
          params: {
            requestId: 'tool_1',
            reason: 'New parameters',
            initiated_by: 'analyst',
            timestamp: '2025-10-15T14:30:00Z',
          },
        }),
      ]);
    });

    test('requests no roots of a client that declared none', async () => {
      const raw = await openWithoutHandshake(createSalesAnalytics(), { era: 'legacy', wire });
      await replay(raw, [
        ...open({}, prompts),
        client({ id: 'tool_1', method: 'tools/call', params: { name: 'data_scope' } }),
        server({
          id: 'tool_1',
          result: {
            isError: true,
            content: [{ type: 'text', text: expect.stringContaining('roots') as unknown }],
          },
        }),
      ]);
    });

    test('rejects prompt arguments that are not strings, and prompts where there are none', async () => {
      const asks = { quarter: 'Q3', department: 'dresses', include_comparative: true };
      const withPrompts = await openWithoutHandshake(createSalesAnalytics(), {
        era: 'legacy',
        wire,
      });
      await replay(withPrompts, [
        ...open({}, prompts),
        client({
          id: 'prompt_1',
          method: 'prompts/get',
          params: { name: 'quarterly_review', arguments: asks },
        }),
        server({
          id: 'prompt_1',
          error: {
            code: -32602,
            message: expect.stringContaining('include_comparative') as unknown,
          },
        }),
      ]);
      const without = await openWithoutHandshake(createSalesAnalytics({ withPrompts: false }), {
        era: 'legacy',
        wire,
      });
      await replay(without, [
        ...open({}),
        client({ id: 'prompt_1', method: 'prompts/get', params: reviewParams }),
        server({ id: 'prompt_1', error: { code: -32601, message: expect.any(String) as unknown } }),
      ]);
    });

    test('a decision that violates the form does not reach the tool', async () => {
      const raw = await openWithoutHandshake(createSalesAnalytics(), { era: 'legacy', wire });
      await replay(raw, [
        ...open({ elicitation: {} }, prompts),
        client({ id: 'tool_1', method: 'tools/call', params: { name: 'clear_stock' } }),
        server({ id: chosen('elicit'), method: 'elicitation/create', params: expect.anything() }),
        client({
          id: chosen('elicit'),
          result: { action: 'accept', content: { ...decision.content, discount: 0.7 } },
        }),
        server({ id: 'tool_1', result: expect.objectContaining({ isError: true }) }),
      ]);
    });
  },
);

describe.each(['stdio', 'http'] as const)('the same work, 2026-07-28, over %s', (wire) => {
  const capabilities = { sampling: {}, elicitation: {}, roots: {} };
  const meta = {
    [Key.protocolVersion]: '2026-07-28',
    [Key.clientInfo]: clientInfo,
    [Key.clientCapabilities]: capabilities,
  };
  const stamp = { [Key.serverInfo]: serverInfo };
  const done = (result: JsonObject): JsonObject => ({
    resultType: 'complete',
    ...result,
    _meta: stamp,
  });
  const ask = (
    id: string,
    method: string,
    params: JsonObject = {},
    more: JsonObject = {},
  ): JsonObject & { id: string } => ({
    id,
    method,
    params: { ...params, _meta: { ...more, ...meta } },
  });
  const asked = (key: string, inputRequest: JsonObject): JsonObject => ({
    resultType: 'input_required',
    inputRequests: { [key]: inputRequest },
    requestState: chosen(`state of ${key}`),
    _meta: stamp,
  });

  test('is exact, message by message, each request on its own', async () => {
    const raw = await openWithoutHandshake(createSalesAnalytics(), {
      era: 'modern',
      wire,
      capabilities,
    });
    const info = { [Key.logLevel]: 'info' };
    await replay(raw, [
      ...call(
        ask('read_1', 'resources/read', { uri }),
        expect.objectContaining({ resultType: 'complete', contents }) as JsonObject,
      ),
      client(
        ask('tool_1', 'tools/call', forecast, {
          progressToken: 'prediction_1',
          business_unit: 'dresses',
        }),
      ),
      server({
        method: 'notifications/progress',
        params: { progressToken: 'prediction_1', ...progress },
      }),
      server({ id: 'tool_1', result: done(forecasted) }),
      ...call(ask('prompt_1', 'prompts/get', reviewParams), {
        ...done(reviewed),
        _meta: { expected_length: '3 to 5 pages', ...stamp },
      }),
      client(ask('tool_2', 'tools/call', { name: 'explain_anomaly' }, info)),
      server({ method: 'notifications/message', params: logEntry }),
      server({
        id: 'tool_2',
        result: asked('anomaly', { method: 'sampling/createMessage', params: ANOMALY_SAMPLING }),
      }),
      client(
        ask(
          'tool_3',
          'tools/call',
          {
            name: 'explain_anomaly',
            requestState: chosen('state of anomaly'),
            inputResponses: { anomaly: explanation },
          },
          info,
        ),
      ),
      server({ id: 'tool_3', result: done(textOf(explained)) }),
      ...call(ask('complete_1', 'completion/complete', completionParams), done({ completion })),
      client(ask('tool_4', 'tools/call', { name: 'clear_stock' })),
      server({
        id: 'tool_4',
        result: asked('stock', { method: 'elicitation/create', params: STOCK_FORM }),
      }),
      client(
        ask('tool_5', 'tools/call', {
          name: 'clear_stock',
          requestState: chosen('state of stock'),
          inputResponses: { stock: decision },
        }),
      ),
      server({
        id: 'tool_5',
        result: expect.objectContaining({ resultType: 'complete', structuredContent: decision }),
      }),
    ]);
  });
});

describe('our client as the dashboard', () => {
  test.each(['legacy', 'modern'] as const)(
    'does the same work without knowing the era (%s)',
    async (era) => {
      const told: unknown[] = [];
      const dashboard = await connectInMemory(createSalesAnalytics(), {
        info: clientInfo,
        era,
        events: { onLog: (entry) => told.push(entry) },
        handlers: {
          sample: (params) =>
            Promise.resolve(
              params.maxTokens === 800
                ? {
                    ...explanation,
                    role: 'assistant',
                    content: { type: 'text', text: explanation.content.text },
                  }
                : Promise.reject(new Error('unknown input request')),
            ),
          elicit: () =>
            Promise.resolve({
              action: 'accept',
              content: { action: 'discount', discount: 0.3, timeframe: 'next_week' },
            }),
          listRoots: () => Promise.resolve([{ uri: 'file:///exports', name: 'Exports' }]),
        },
      });
      expect(await dashboard.readResource(uri)).toEqual(contents);
      const steps: unknown[] = [];
      expect(
        await dashboard.callTool('predict_sales_trend', forecast.arguments, {
          onProgress: (step) => steps.push(step),
        }),
      ).toMatchObject(forecasted);
      expect(steps).toEqual([progress]);
      expect(await dashboard.getPrompt('quarterly_review', reviewParams.arguments)).toMatchObject(
        reviewed,
      );
      expect(
        await dashboard.complete(
          { type: 'ref/resource', uri: 'warehouse://shop/{dataset}' },
          { name: 'dataset', value: '连衣' },
        ),
      ).toEqual(completion);
      expect(await dashboard.callTool('explain_anomaly', {})).toMatchObject(explained);
      expect(told).toContainEqual(logEntry);
      expect(await dashboard.callTool('clear_stock', {})).toMatchObject({
        structuredContent: { action: 'accept', content: { discount: 0.3 } },
      });
      expect(await dashboard.callTool('data_scope', {})).toMatchObject({
        structuredContent: { roots: [{ uri: 'file:///exports', name: 'Exports' }] },
      });
      await dashboard.close();
    },
  );

  test.each(['legacy', 'modern'] as const)('shows no roots but files (%s)', async (era) => {
    const dashboard = await connectInMemory(createSalesAnalytics(), {
      info: clientInfo,
      era,
      handlers: {
        listRoots: () => Promise.resolve([{ uri: 'warehouse://shop/sales', name: 'Sales' }]),
      },
    });
    const outcome = await dashboard.callTool('data_scope', {}).catch((error: unknown) => error);
    expect(JSON.stringify(outcome)).not.toContain('warehouse://');
    await dashboard.close();
  });
});
