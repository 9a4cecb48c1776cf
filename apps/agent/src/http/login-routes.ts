import * as z from 'zod';
import type { BrowserLogin, DeviceCodeLogin } from '../ports/server-logins.ts';
import type { ServerStatus } from '../ports/tool-catalogue.ts';
import { described } from './described.ts';
import { LoginStart } from './login-schemas.ts';
import { LoggedOut, StartedLogin } from './login-response-schemas.ts';
import { loginPage, PAGE_HEADERS } from './login-page.ts';
import { REDIRECT_PATH } from './redirect-path.ts';
import type { HttpApp, RouteDependencies } from './route.ts';
import { ProblemDetails } from './response-schemas.ts';
import { ServerParameters } from './server-schemas.ts';

const text = z.string().max(8192);

const RedirectQuery = z.looseObject({
  state: z.string().min(1).max(500).describe('Identifies the login'),
  code: text.optional(),
  iss: text.optional().describe('Issuer of the authorization server (RFC 9207)'),
  error: text.optional(),
});

const problem = {
  400: ProblemDetails,
  404: ProblemDetails,
  409: ProblemDetails,
  502: ProblemDetails,
};

/** Logins at MCP servers, and the redirects that end them. */
export function loginRoutes(
  app: HttpApp,
  { logins }: RouteDependencies,
  statusOf: (name: string) => Promise<ServerStatus>,
): void {
  app.post(
    '/v1/servers/:name/login',
    {
      schema: {
        summary: 'Begin the login of a person at an MCP server',
        description:
          'Returns the address that the person opens in a browser, within ten minutes. The login ends by a redirect to the service, or, with the method device, when the person has entered the code. Runs that wait for the login then continue.',
        params: ServerParameters,
        body: LoginStart,
        response: described(() => ({ 200: StartedLogin, ...problem })),
      },
    },
    async (request, reply) => {
      const { name, login: needed } = await statusOf(request.params.name);
      const { method } = request.body;
      reply.header('cache-control', 'no-store');
      return startedView(await logins.begin({ server: name, needed, method }));
    },
  );

  app.delete(
    '/v1/servers/:name/login',
    {
      schema: {
        summary: 'Log out of an MCP server',
        description: 'Deletes the tokens of the server and revokes them.',
        params: ServerParameters,
        response: described(() => ({ 200: LoggedOut, 404: ProblemDetails, 409: ProblemDetails })),
      },
    },
    async (request) => {
      const { name } = await statusOf(request.params.name);
      const { isRevoked } = await logins.logOut(name);
      return { is_revoked: isRevoked };
    },
  );

  app.get(
    REDIRECT_PATH,
    {
      config: { isOpenToAll: true },
      schema: {
        summary: 'Receive the redirect of a login',
        description:
          'The browser of a person is redirected here by the authorization server. Needs no API key: `state` identifies a login that the service began, and is accepted once. The response is a page for the person.',
        querystring: RedirectQuery,
        response: described(() => ({
          200: {
            description: 'A page about the outcome',
            content: { 'text/html': { schema: z.string() } },
          },
          400: {
            description: 'A page about an unknown login, or a problem of the query',
            content: {
              'text/html': { schema: z.string() },
              'application/problem+json': { schema: ProblemDetails },
            },
          },
        })),
      },
    },
    async (request, reply) => {
      // The query as it arrived: the check of the redirect refuses repeated parameters.
      const query = new URLSearchParams(request.url.split('?')[1] ?? '');
      const { status, html } = loginPage(await logins.finish(query));
      return reply.code(status).headers(PAGE_HEADERS).serializer(asIs).send(html);
    },
  );
}

function asIs(page: unknown): string {
  return String(page);
}

function startedView(login: BrowserLogin | DeviceCodeLogin): z.output<typeof StartedLogin> {
  const expiresAt = new Date(login.expiresAt).toISOString();
  const { method, url } = login;
  if (login.method === 'browser') return { method, url, expires_at: expiresAt };
  const { userCode, completeUrl } = login;
  return {
    method,
    url,
    user_code: userCode,
    ...(completeUrl === undefined ? {} : { complete_url: completeUrl }),
    expires_at: expiresAt,
  };
}
