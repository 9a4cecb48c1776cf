import fastifySwagger from '@fastify/swagger';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import type { ApiDocument } from '../../api-document.ts';
import { describeApi } from './describe-api.ts';
import { evaluateResponseSchemas } from '../../described.ts';
import type { ApiGenerator } from '../../http-server.ts';
import { checkedSerializer } from '../checked-serializer.ts';

/** A generator of the OpenAPI document that also checks every response against its schema. */
export const generatedDescription: ApiGenerator = {
  async prepare(app, version) {
    app.setSerializerCompiler(checkedSerializer);
    evaluateResponseSchemas(app);
    await app.register(fastifySwagger, {
      openapi: {
        openapi: '3.1.0',
        info: {
          title: 'Signalbox',
          version,
          description:
            'Runs agent tasks with the tools of MCP servers. Errors are RFC 9457 problem details; times are UTC, ISO 8601.',
          license: { name: 'MIT', identifier: 'MIT' },
        },
      },
      transform: jsonSchemaTransform,
      transformObject: jsonSchemaTransformObject,
    });
  },
  document: (app) => describeApi(app.swagger() as unknown as ApiDocument),
};
