import * as z from 'zod';
import {
  MAX_AGENT_VERSIONS,
  type Agent as StoredAgent,
  type AgentDefinition,
  type AgentVersion as StoredVersion,
  type AgentVersionEntry,
} from '../ports/store/agent.ts';
import { mergeSettings, modelSettingsData, requestedSettings } from '../run/core/model-settings.ts';
import { mergeRules, requestedRules, toolRulesData } from '../run/core/tool-rules.ts';
import { limitsData, limitsOf } from '../run/limits/limits-data.ts';
import { NewAgent, VersionParameters } from './agent-schemas.ts';
import { Agent, AgentList, AgentVersion, AgentVersionList } from './agent-response-schemas.ts';
import { described } from './described.ts';
import type { HttpApp, RouteDependencies } from './route.ts';
import { KeyHeaders, replyWith } from './idempotency.ts';
import { Problem } from './problem.ts';
import { isKnown, MatchHeaders, matchCheck, TagHeaders, tagOf } from './etag.ts';
import { ListQuery, IdParameters } from './schemas.ts';
import { ProblemDetails } from './response-schemas.ts';

import { pageOf, pageOptions } from './views.ts';

const problem = { 400: ProblemDetails, 404: ProblemDetails };

/** Adds the endpoints that create, read, change and delete stored agents. */
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
        response: described(() => ({ 201: Agent, 400: ProblemDetails, 409: ProblemDetails })),
      },
    },
    async (request, reply) => {
      await refuseUnknownServers(request.body.servers ?? []);
      const served = await once(request, {
        make: (onCommit) =>
          engine.createAgent({ ...definitionOf(request.body), apiKey: request.apiKey }, onCommit),
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
        response: described(() => ({ 200: AgentList, 400: ProblemDetails })),
      },
    },
    async (request) => {
      return pageOf(await read.agents(pageOptions(request.query)), agentView);
    },
  );

  app.get(
    '/v1/agents/:id',
    {
      schema: {
        summary: 'Get an agent',
        params: IdParameters,
        headers: TagHeaders,
        response: described(() => ({ 200: Agent, 304: z.null(), ...problem })),
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
        description: `Makes a new version, unless the definition is the current one. The last ${MAX_AGENT_VERSIONS} versions are kept. Runs that were started with the agent keep its earlier definition.`,
        params: IdParameters,
        headers: MatchHeaders,
        body: NewAgent,
        response: described(() => ({ 200: Agent, ...problem, 412: ProblemDetails })),
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      await refuseUnknownServers(request.body.servers ?? []);
      const definition = { ...definitionOf(request.body), apiKey: request.apiKey };
      const agent = agentView(
        await engine.replaceAgent(id, definition, matchCheck(request, agentTag)),
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
        description: 'Deletes its versions, too. Runs that were started with the agent continue.',
        params: IdParameters,
        headers: MatchHeaders,
        response: described(() => ({ 204: z.null(), ...problem, 412: ProblemDetails })),
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      await engine.deleteAgent(id, matchCheck(request, agentTag));
      return reply.code(204).send(null);
    },
  );

  app.get(
    '/v1/agents/:id/versions',
    {
      schema: {
        summary: 'List the versions of an agent, newest first',
        description: `The last ${MAX_AGENT_VERSIONS} versions are kept. GET /v1/agents/{id}/versions/{version} returns the definition of one.`,
        params: IdParameters,
        querystring: ListQuery,
        response: described(() => ({ 200: AgentVersionList, ...problem })),
      },
    },
    async (request) => {
      const { id } = await existing(request.params.id);
      return pageOf(await read.agentVersions(id, pageOptions(request.query)), versionEntryView);
    },
  );

  app.get(
    '/v1/agents/:id/versions/:version',
    {
      schema: {
        summary: 'Get a version of an agent',
        params: VersionParameters,
        response: described(() => ({ 200: AgentVersion, ...problem })),
      },
    },
    async (request) => {
      const { id } = await existing(request.params.id);
      const version = await read.agentVersion(id, request.params.version);
      if (version === undefined)
        throw new Problem(
          'agent_version_not_found',
          `the agent "${id}" has no version ${request.params.version}; GET /v1/agents/${id}/versions lists the versions that are kept`,
        );
      return versionView(version);
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
  tools,
  approvals,
  ...settings
}: z.output<typeof NewAgent>): AgentDefinition {
  const modelSettings = mergeSettings(requestedSettings(settings));
  const toolRules = mergeRules(requestedRules({ tools, approvals }));
  return { name, instructions, model, servers, limits: limitsOf(limits), modelSettings, toolRules };
}

function agentView(agent: StoredAgent): z.output<typeof Agent> {
  return {
    id: agent.id,
    version: agent.version,
    ...definitionView(agent),
    created_at: new Date(agent.createdAt).toISOString(),
    updated_at: new Date(agent.updatedAt).toISOString(),
  };
}

function definitionView({
  name,
  instructions,
  model,
  servers,
  limits,
  modelSettings,
  toolRules,
}: AgentDefinition): z.output<typeof AgentVersion>['definition'] {
  return {
    name,
    ...(instructions === undefined ? {} : { instructions }),
    ...(model === undefined ? {} : { model }),
    ...(servers === undefined ? {} : { servers: [...servers] }),
    ...toolRulesData(toolRules),
    ...modelSettingsData(modelSettings),
    limits: limitsData(limits),
  };
}

function versionEntryView({ name, ...entry }: AgentVersionEntry) {
  return { name, ...originView(entry) };
}

function versionView(version: StoredVersion): z.output<typeof AgentVersion> {
  return { ...originView(version), definition: definitionView(version) };
}

function originView({
  version,
  apiKey,
  createdAt,
}: Pick<StoredVersion, 'version' | 'apiKey' | 'createdAt'>) {
  return {
    version,
    ...(apiKey === undefined ? {} : { api_key: apiKey }),
    created_at: new Date(createdAt).toISOString(),
  };
}
