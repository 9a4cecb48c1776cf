import { isAbsolute, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import type * as z from 'zod';
import type { ServerControl } from '../ports/server-directory.ts';
import type { ServerStatus } from '../ports/tool-catalogue.ts';
import { described } from './described.ts';
import type { HttpApp } from './route.ts';
import { Problem } from './problem.ts';
import { ProblemDetails } from './response-schemas.ts';
import {
  ApproveTool,
  ApproveTools,
  ServerMode,
  ServerParameters,
  ServerRoots,
  ServerToolParameters,
} from './server-schemas.ts';
import { ApprovedTools, Server, ServerLog } from './server-response-schemas.ts';

export interface ServerLookup {
  /** Returns the status of a server. @throws Problem `server_not_found` */
  readonly statusOf: (name: string) => Promise<ServerStatus>;
  /** Returns the commands of a server. @throws Problem `server_not_found` */
  readonly controlOf: (name: string) => Promise<ServerControl>;
  /** Returns the view of a server. */
  readonly viewOf: (status: ServerStatus) => Promise<z.output<typeof Server>>;
}

const problem = {
  400: ProblemDetails,
  404: ProblemDetails,
  409: ProblemDetails,
  503: ProblemDetails,
};

/**
 * Commands for one MCP server: reconnecting, draining, approving changed tools, and setting roots.
 */
export function serverControlRoutes(
  app: HttpApp,
  { statusOf, controlOf, viewOf }: ServerLookup,
): void {
  for (const [path, summary] of [
    ['reconnect', 'Reconnect an MCP server'],
    ['drain', 'Drain an MCP server'],
  ] as const) {
    app.post(
      `/v1/servers/:name/${path}`,
      {
        schema: {
          summary,
          params: ServerParameters,
          body: ServerMode,
          response: described(() => ({ 202: Server, ...problem })),
        },
      },
      async (request, reply) => {
        const control = await controlOf(request.params.name);
        await control[path](request.body.mode);
        return reply.code(202).send(await viewOf(await statusOf(request.params.name)));
      },
    );
  }

  app.get(
    '/v1/servers/:name/log',
    {
      schema: {
        summary: 'Get the last lines of the log of an MCP server',
        description:
          'At most 200 lines since the start of the process, oldest first: lines of the server on stderr, its log messages, and messages of the service about it. Secrets of the configuration are masked.',
        params: ServerParameters,
        response: described(() => ({ 200: ServerLog, ...problem, 501: ProblemDetails })),
      },
    },
    async (request) => ({
      lines: (await (await controlOf(request.params.name)).log()).map(({ at, level, text }) => ({
        at: new Date(at).toISOString(),
        level,
        text,
      })),
    }),
  );

  app.post(
    '/v1/servers/:name/tools/:tool/approve',
    {
      schema: {
        summary: 'Approve the changed definition of a tool',
        params: ServerToolParameters,
        body: ApproveTool,
        response: described(() => ({ 200: Server, ...problem })),
      },
    },
    async (request) => {
      const { name, tool } = request.params;
      const isKnown = await (await controlOf(name)).approve(tool, request.body.digest);
      if (!isKnown)
        throw new Problem(
          'tool_not_found',
          `the server ${name} has no tool called "${tool}"; GET /v1/servers/${name} lists the pinned tools`,
        );
      return viewOf(await statusOf(name));
    },
  );

  app.post(
    '/v1/servers/:name/tools/approve',
    {
      schema: {
        summary: 'Approve the changed definitions of several tools atomically',
        params: ServerParameters,
        body: ApproveTools,
        response: described(() => ({ 200: ApprovedTools, ...problem })),
      },
    },
    async (request) => {
      const { name } = request.params;
      const approved = await (await controlOf(name)).approveTools(request.body.tools);
      return { ...(await viewOf(await statusOf(name))), approved: [...approved] };
    },
  );

  app.put(
    '/v1/servers/:name/roots',
    {
      schema: {
        summary: "Set an MCP server's roots until the service stops",
        params: ServerParameters,
        body: ServerRoots,
        response: described(() => ({ 200: Server, ...problem })),
      },
    },
    async (request) => {
      const roots = [...new Set(request.body.roots.map(pathOf))];
      await (await controlOf(request.params.name)).setRoots(roots);
      return viewOf(await statusOf(request.params.name));
    },
  );
}

function pathOf(root: string, index: number): string {
  const path = URL.canParse(root) && /^file:/i.test(root) ? pathOfUrl(root) : root;
  if (path !== undefined && isAbsolute(path) && !path.includes('\0')) return normalize(path);
  const wrong = {
    path: `/body/roots/${index}`,
    message: 'must be an absolute path or a file: URL of this machine',
  };
  throw new Problem('invalid_request', `${wrong.path}: ${wrong.message}`, { errors: [wrong] });
}

function pathOfUrl(url: string): string | undefined {
  try {
    return fileURLToPath(url);
  } catch {
    // A URL with the host of another machine.
    return undefined;
  }
}
