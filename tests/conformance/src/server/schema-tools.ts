import { defineTool } from '@signalbox/mcp-core/server';
import { READ_ONLY } from './annotations.ts';
import { textResult } from './text-result.ts';

export const SCHEMA_TOOLS = [
  defineTool({
    name: 'json_schema_2020_12_tool',
    description: 'Tool with JSON Schema 2020-12 features',
    inputSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: {
        address: {
          $anchor: 'addressDef',
          type: 'object',
          properties: { street: { type: 'string' }, city: { type: 'string' } },
        },
      },
      properties: {
        name: { type: 'string' },
        address: { $ref: '#/$defs/address' },
        contactMethod: { type: 'string', enum: ['phone', 'email'] },
        phone: { type: 'string' },
        email: { type: 'string' },
      },
      allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
      if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
      // oxlint-disable-next-line unicorn/no-thenable -- the schema must have this keyword
      then: { required: ['phone'] },
      else: { required: ['email'] },
      additionalProperties: false,
    },
    annotations: READ_ONLY,
    handler: (args) => textResult(JSON.stringify(args)),
  }),
  defineTool({
    name: 'test_x_mcp_header',
    description: 'Tool with arguments that travel as headers, too',
    inputSchema: {
      type: 'object',
      properties: {
        region: { type: 'string', 'x-mcp-header': 'Region' },
        level: { type: 'integer', 'x-mcp-header': 'Level' },
      },
    },
    annotations: READ_ONLY,
    handler: (args) => textResult(JSON.stringify(args)),
  }),
];
