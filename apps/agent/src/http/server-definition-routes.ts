import type { FastifyRequest } from 'fastify';
import * as z from 'zod';
import { serverEntry } from '../config/config-schema.ts';
import { isPlainObject } from '../json/plain-object.ts';
import type { DefinitionChange } from '../ports/server-definitions.ts';
import { editingOff } from '../server-definitions/no-editing.ts';
import { described } from './described.ts';
import { hasAnyTag, isKnown, matchCheck, TagHeaders } from './etag.ts';
import { Problem } from './problem.ts';
import type { HttpApp, RouteDependencies } from './route.ts';
import { ProblemDetails } from './response-schemas.ts';
import { ServerParameters } from './server-schemas.ts';
import { validateAllButBody } from './validate.ts';

const ServerDefinition = serverEntry.meta({ id: 'ServerDefinition' });

const problem = {
  400: ProblemDetails,
  403: ProblemDetails,
  404: ProblemDetails,
  409: ProblemDetails,
};

const DEFINITION =
  'The definition is an entry of `mcpServers` in `signalbox.json`. A secret, such as a value of `env` or `headers`, is shown as `***`; a reference `${NAME}` is shown as it is.';

const CreateHeaders = z.looseObject({
  'if-match': z
    .string()
    .optional()
    .describe('`ETag` of the definition to replace, or `*`; if it has changed since, 412'),
  'if-none-match': z
    .string()
    .optional()
    .describe('`*` adds a server; if there is a server of that name, 412'),
});

const RemoveHeaders = z.looseObject({
  'if-match': z
    .string()
    .optional()
    .describe('`ETag` of the definition to remove; if it has changed since, 412'),
});

/** Adds the endpoints that read, add, replace and remove the definitions of MCP servers. */
export function serverDefinitionRoutes(app: HttpApp, { definitions }: RouteDependencies): void {
  app.get(
    '/v1/servers/:name/config',
    {
      schema: {
        summary: 'Get the definition of an MCP server',
        description: DEFINITION,
        params: ServerParameters,
        headers: TagHeaders,
        response: described(() => ({ 200: ServerDefinition, 304: z.null(), ...problem })),
      },
    },
    async (request, reply) => {
      const { definition, tag } = definitions.get(request.params.name);
      return isKnown(request, reply, tag) ? reply.code(304).send(null) : definition;
    },
  );

  app.put(
    '/v1/servers/:name/config',
    {
      schema: {
        summary: 'Add an MCP server, or replace its definition',
        description: `${DEFINITION} A \`***\` that is sent back keeps the secret in its place, unless it would be sent to another address. A new server connects at once; a changed one is connected anew once its calls in flight have ended.`,
        params: ServerParameters,
        headers: CreateHeaders,
        body: ServerDefinition,
        response: described(() => ({
          200: ServerDefinition,
          201: ServerDefinition,
          ...problem,
          412: ProblemDetails,
          428: ProblemDetails,
        })),
      },
      // The configuration code validates the definition, with the problems of the configuration file.
      validatorCompiler: validateAllButBody,
    },
    async (request, reply) => {
      const { name } = request.params;
      const body: unknown = request.body;
      if (definitions.mode === 'off') throw editingOff();
      const change = changeOf(request);
      if (!isPlainObject(body))
        throw new Problem('invalid_request', '/body: must be an object', {
          errors: [{ path: '/body', message: 'must be an object' }],
        });
      const { definition, tag } = await definitions.put(name, body, change);
      if (change.isNew === true)
        reply.code(201).header('location', `/v1/servers/${encodeURIComponent(name)}/config`);
      reply.header('etag', tag);
      return definition;
    },
  );

  app.delete(
    '/v1/servers/:name',
    {
      schema: {
        summary: 'Remove an MCP server',
        description:
          'No new calls are sent to the server, and it ends once those in flight have ended. A server of the configuration file stays removed after a restart.',
        params: ServerParameters,
        headers: RemoveHeaders,
        response: described(() => ({ 204: z.null(), ...problem, 412: ProblemDetails })),
      },
    },
    async (request, reply) => {
      const { name } = request.params;
      await definitions.remove(name, { apiKey: request.apiKey, check: checkOf(request) });
      return reply.code(204).send(null);
    },
  );
}

/** @throws Problem `precondition_required` when the request says neither that it adds nor that it replaces */
function changeOf(request: FastifyRequest): DefinitionChange {
  const { apiKey } = request;
  if (hasAnyTag(request, 'if-none-match')) return { apiKey, isNew: true };
  if (request.headers['if-match'] !== undefined) return { apiKey, check: checkOf(request) };
  throw new Problem(
    'precondition_required',
    "send the header 'if-none-match: *' to add a server, or 'if-match' with the ETag of GET to replace its definition",
  );
}

function checkOf(request: FastifyRequest): DefinitionChange['check'] {
  return matchCheck(request, ({ tag }: { readonly tag: string }) => tag);
}
