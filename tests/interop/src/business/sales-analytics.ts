import type { CreateMessageParams, ElicitFormParams } from '@signalbox/mcp-core';
import {
  createServer,
  definePrompt,
  defineResourceTemplate,
  defineTool,
  type Server,
} from '@signalbox/mcp-core/server';

export const INSTRUCTIONS = 'Analyses sales, forecasts them and writes reports. Data of 2025 only.';
export const SUMMARY = JSON.stringify({
  dataset: 'q3_dresses',
  records: 125_000,
  total_sales: 2_850_000,
  growth_rate: 0.15,
});

export const ANOMALY_SAMPLING: CreateMessageParams = {
  messages: [
    {
      role: 'user',
      content: {
        type: 'text',
        text: 'Sales were three times the usual on 15 July and 40 % below plan on 10 August. Why?',
      },
    },
  ],
  systemPrompt: 'You explain patterns in sales data.',
  maxTokens: 800,
  temperature: 0.2,
  modelPreferences: { hints: [{ name: 'claude' }], intelligencePriority: 0.95, costPriority: 0.3 },
  metadata: { analysis: 'anomaly' },
};

export const STOCK_FORM: ElicitFormParams = {
  message: 'Too many dresses are in stock. What shall be done?',
  requestedSchema: {
    type: 'object',
    properties: {
      action: { type: 'string', title: 'Action', enum: ['discount', 'bundle', 'transfer'] },
      discount: { type: 'number', title: 'Discount', minimum: 0.1, maximum: 0.5 },
      timeframe: { type: 'string', title: 'When', enum: ['immediate', 'next_week'] },
    },
    required: ['action', 'timeframe'],
  },
};

const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
const noArguments = { type: 'object', properties: {}, additionalProperties: false } as const;

const predict = defineTool({
  name: 'predict_sales_trend',
  description: 'Forecasts the sales of a category.',
  inputSchema: {
    type: 'object',
    properties: {
      product_category: { type: 'string' },
      time_period: { type: 'string', enum: ['next_month', 'next_quarter'] },
      confidence_level: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 },
      include_seasonality: { type: 'boolean' },
      market_factors: { type: 'array', items: { type: 'string' } },
    },
    required: ['product_category', 'time_period'],
  },
  outputSchema: {
    type: 'object',
    properties: {
      prediction: {
        type: 'object',
        properties: {
          growth: { type: 'number' },
          interval: { type: 'array', items: { type: 'number' } },
        },
        required: ['growth'],
      },
      model: { type: 'object' },
    },
    required: ['prediction', 'model'],
  },
  annotations,
  handler: ({ product_category: category, confidence_level: confidence = 0.9 }, context) => {
    context.progress({
      progress: 60,
      total: 100,
      message: 'Training the model, about eight minutes left',
    });
    return {
      content: [
        {
          type: 'text',
          text: `Sales of ${category} will grow by 12 to 15 %.`,
          annotations: { audience: ['user'] },
        },
      ],
      structuredContent: {
        prediction: { growth: 0.135, interval: [0.12, 0.15], confidence },
        model: { version: '3.2', accuracy: 0.89 },
      },
    };
  },
});

const explainAnomaly = defineTool({
  name: 'explain_anomaly',
  description: 'Asks the model of the host about an odd pattern.',
  inputSchema: noArguments,
  annotations,
  handler: async (_args, context) => {
    context.log(
      'info',
      { message: 'looking for patterns', dataset: '1.2M records' },
      'forecast_engine',
    );
    const { content, _meta: more } = await context.sample('anomaly', ANOMALY_SAMPLING);
    return { structuredContent: { explanation: content, confidence: more?.confidence ?? null } };
  },
});

const clearStock = defineTool({
  name: 'clear_stock',
  description: 'Lets a person decide about stock.',
  inputSchema: noArguments,
  annotations,
  handler: async (_args, context) => ({
    structuredContent: await context.elicit('stock', STOCK_FORM),
  }),
});

const dataScope = defineTool({
  name: 'data_scope',
  description: 'Says which data the host shows.',
  inputSchema: noArguments,
  annotations,
  handler: async (_args, context) => ({ structuredContent: { roots: await context.listRoots() } }),
});

const review = definePrompt({
  name: 'quarterly_review',
  description: 'A review of one quarter',
  arguments: [
    { name: 'quarter', required: true },
    { name: 'department', required: true },
    { name: 'include_comparative' },
  ],
  handler: ({ quarter, department, include_comparative: isCompared = 'false' }) => ({
    description: `Review of ${quarter}, ${department}`,
    messages: [
      {
        role: 'user',
        content: {
          type: 'text',
          text: `Review ${quarter} of ${department}${isCompared === 'true' ? ' beside the year before' : ''}.`,
        },
      },
    ],
    _meta: { expected_length: '3 to 5 pages' },
  }),
});

const QUERIES = ['连衣裙夏季', '连衣裙新品', '连衣裙库存', '半身裙', '连衣裙促销'];

const dataset = defineResourceTemplate({
  uriTemplate: 'warehouse://shop/{dataset}',
  name: 'Data set',
  mimeType: 'application/json',
  annotations: {
    audience: ['user', 'assistant'],
    priority: 0.8,
    lastModified: '2025-10-01T08:30:00Z',
  },
  read: (_variables, uri) => ({ contents: [{ uri, mimeType: 'application/json', text: SUMMARY }] }),
  complete: { dataset: (value) => QUERIES.filter((query) => query.startsWith(value)) },
});

/** Creates a server for analysts; `withPrompts` false leaves prompts undeclared. */
export function createSalesAnalytics({
  withPrompts = true,
}: { readonly withPrompts?: boolean } = {}): Server {
  return createServer({
    info: { name: 'sales-analytics', version: '4.1.2', title: 'Sales analytics' },
    instructions: INSTRUCTIONS,
    tools: [predict, explainAnomaly, clearStock, dataScope],
    ...(withPrompts ? { prompts: [review] } : {}),
    templates: [dataset],
    settings: { resourceSubscriptions: true },
  });
}
