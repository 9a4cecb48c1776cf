import * as z from 'zod';
import type { Agent as StoredAgent, AgentDefinition } from '../ports/store/agent.ts';
import { mergeSettings, modelSettingsData, requestedSettings } from '../run/core/model-settings.ts';
import { limitsData, limitsOf } from '../run/limits/limits-data.ts';
import { Agent, AgentList, NewAgent } from './agent-schemas.ts';
import type { HttpApp, RouteDependencies } from './route.ts';
import { KeyHeaders, replyWith } from './idempotency.ts';
import { Problem } from './problem.ts';
import { isKnown, MatchHeaders, matchCheck, TagHeaders, tagOf } from './etag.ts';
import { ListQuery, ProblemDetails, IdParameters } from './schemas.ts';

import { pageOf } from './views.ts';

const problem = { 400: ProblemDetails, 404: ProblemDetails };

/** Creating, reading, changing and deleting stored agents. */
export function agentRoutes(
  app: HttpApp,
  { engine, read, once, catalogue }: RouteDependencies,
): void {
  const existing = async (id: string): Promise<StoredAgent> => {
    const agent = await read.agent(id);
    if (agent === undefined) throw notFound(id);
    return agent;
  };

  const refuseUnknownServers = async (names: readonly string[]): Promise<void> => {
    if (names.length === 0) return;
    const known = (await catalogue.servers()).map(({ name }) => name);
    const errors = names.flatMap((name, index) =>
      known.includes(name)
        ? []
        : [
            {
              path: `/body/servers/${index}`,
              message: `no MCP server is named ${JSON.stringify(name)}`,
            },
          ],
    );
    if (errors.length > 0)
      throw new Problem(
        'unknown_server',
        `${errors.map(({ message }) => message).join('; ')}; GET /v1/servers lists the configured servers`,
        { errors },
      );
  };

  app.post(
    '/v1/agents',
    {
      schema: {
        summary: 'Store an agent',
        headers: KeyHeaders,
        body: NewAgent,
        response: { 201: Agent, 400: ProblemDetails, 409: ProblemDetails },
      },
    },
    async (request, reply) => {
      await refuseUnknownServers(request.body.servers ?? []);
      const served = await once(request, {
        make: (onCommit) => engine.createAgent(definitionOf(request.body), onCommit),
        answer: (agent: StoredAgent) => ({
          status: 201,
          location: `/v1/agents/${agent.id}`,
          body: agentView(agent),
        }),
      });
      return replyWith(reply, served);
    },
  );

  app.get(
    '/v1/agents',
    {
      schema: {
        summary: 'List agents, newest first',
        querystring: ListQuery,
        response: { 200: AgentList, 400: ProblemDetails },
      },
    },
    async (request) => {
      const { limit, cursor } = request.query;
      return pageOf(
        await read.agents({ limit, ...(cursor === undefined ? {} : { cursor }) }),
        agentView,
      );
    },
  );

  app.get(
    '/v1/agents/:id',
    {
      schema: {
        summary: 'Get an agent',
        params: IdParameters,
        headers: TagHeaders,
        response: { 200: Agent, 304: z.null(), ...problem },
      },
    },
    async (request, reply) => {
      const agent = agentView(await existing(request.params.id));
      return isKnown(request, reply, tagOf(agent)) ? reply.code(304).send(null) : agent;
    },
  );

  app.put(
    '/v1/agents/:id',
    {
      schema: {
        summary: 'Replace an agent',
        description: 'Runs that were started with the agent keep its earlier definition.',
        params: IdParameters,
        headers: MatchHeaders,
        body: NewAgent,
        response: { 200: Agent, ...problem, 409: ProblemDetails, 412: ProblemDetails },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      await refuseUnknownServers(request.body.servers ?? []);
      const agent = agentView(
        await engine.replaceAgent(id, definitionOf(request.body), matchCheck(request, agentTag)),
      );
      reply.header('etag', tagOf(agent));
      return agent;
    },
  );

  app.delete(
    '/v1/agents/:id',
    {
      schema: {
        summary: 'Delete an agent',
        description: 'Runs that were started with the agent continue.',
        params: IdParameters,
        headers: MatchHeaders,
        response: { 204: z.null(), ...problem, 409: ProblemDetails, 412: ProblemDetails },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      await engine.deleteAgent(id, matchCheck(request, agentTag));
      return reply.code(204).send(null);
    },
  );
}

function agentTag(agent: StoredAgent): string {
  return tagOf(agentView(agent));
}

function notFound(id: string): Problem {
  return new Problem('agent_not_found', `no agent has the id "${id}"; GET /v1/agents lists them`);
}

function definitionOf({
  name,
  instructions,
  model,
  servers,
  limits,
  ...settings
}: z.output<typeof NewAgent>): AgentDefinition {
  const modelSettings = mergeSettings(requestedSettings(settings));
  return { name, instructions, model, servers, limits: limitsOf(limits), modelSettings };
}

function agentView({
  id,
  name,
  instructions,
  model,
  servers,
  limits,
  modelSettings,
  createdAt,
  updatedAt,
}: StoredAgent): z.output<typeof Agent> {
  return {
    id,
    name,
    ...(instructions === undefined ? {} : { instructions }),
    ...(model === undefined ? {} : { model }),
    ...(servers === undefined ? {} : { servers: [...servers] }),
    ...modelSettingsData(modelSettings),
    limits: limitsData(limits),
    created_at: new Date(createdAt).toISOString(),
    updated_at: new Date(updatedAt).toISOString(),
  };
}
