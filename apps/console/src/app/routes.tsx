import { lazy, type ComponentType, type LazyExoticComponent } from 'react';
import { MissingFileError } from '../ui/missing-file-error.ts';
import { matchPath, type PathParams } from './router.ts';

/** Props of a page: the parameters of its path. */
export interface PageProps {
  readonly params: PathParams;
}

/** A page of the console and the pattern of its addresses. */
export interface Route {
  readonly pattern: string;
  /** Name of the section whose page stays as it is when only the address below it changes. Default: each address has a page of its own. */
  readonly section?: string;
  readonly Page: LazyExoticComponent<ComponentType<PageProps>>;
}

const OverviewPage = loadPage(() =>
  import('../overview/overview-page.tsx').then((module) => module.OverviewPage),
);
const RunsPage = loadPage(() => import('../runs/runs-page.tsx').then((module) => module.RunsPage));
const NewRunPage = loadPage(() =>
  import('../runs/new-run-page.tsx').then((module) => module.NewRunPage),
);
const RunPage = loadPage(() => import('../runs/run-page.tsx').then((module) => module.RunPage));
const InboxPage = loadPage(() =>
  import('../inbox/inbox-page.tsx').then((module) => module.InboxPage),
);
const ServersPage = loadPage(() =>
  import('../servers/servers-page.tsx').then((module) => module.ServersPage),
);
const ServerPage = loadPage(() =>
  import('../servers/server-page.tsx').then((module) => module.ServerPage),
);
const AddServerPage = loadPage(() =>
  import('../servers/edit-server-page.tsx').then((module) => module.AddServerPage),
);
const EditServerPage = loadPage(() =>
  import('../servers/edit-server-page.tsx').then((module) => module.EditServerPage),
);
const ThreadsPage = loadPage(() =>
  import('../threads/threads-page.tsx').then((module) => module.ThreadsPage),
);
const AgentsPage = loadPage(() =>
  import('../agents/agents-page.tsx').then((module) => module.AgentsPage),
);

const AgentVersionsPage = loadPage(() =>
  import('../agents/agent-versions-page.tsx').then((module) => module.AgentVersionsPage),
);

/** Pages in the order in which their patterns are tried. */
export const ROUTES: readonly Route[] = [
  { pattern: '/', Page: OverviewPage },
  { pattern: '/overview', Page: OverviewPage },
  { pattern: '/runs', Page: RunsPage },
  { pattern: '/runs/new', Page: NewRunPage },
  { pattern: '/runs/:id', Page: RunPage },
  { pattern: '/inbox', section: 'inbox', Page: InboxPage },
  { pattern: '/inbox/:id', section: 'inbox', Page: InboxPage },
  { pattern: '/servers', Page: ServersPage },
  // No server has a name with a plus sign.
  { pattern: '/servers/+new', Page: AddServerPage },
  { pattern: '/servers/:name', Page: ServerPage },
  { pattern: '/servers/:name/edit', Page: EditServerPage },
  { pattern: '/threads', Page: ThreadsPage },
  { pattern: '/threads/:id', Page: ThreadsPage },
  { pattern: '/agents', Page: AgentsPage },
  { pattern: '/agents/:id', Page: AgentsPage },
  { pattern: '/agents/:id/versions', Page: AgentVersionsPage },
];

/** Returns the page of a path with the parameters of the path, or undefined. */
export function findRoute(
  path: string,
): { readonly route: Route; readonly params: PathParams } | undefined {
  for (const route of ROUTES) {
    const params = matchPath(route.pattern, path);
    if (params !== undefined) return { route, params };
  }
  return undefined;
}

/** Returns a page that loads its module when it is first opened, and throws a MissingFileError if that fails. */
function loadPage(
  load: () => Promise<ComponentType<PageProps>>,
): LazyExoticComponent<ComponentType<PageProps>> {
  return lazy(async () => {
    try {
      return { default: await load() };
    } catch (error) {
      throw new MissingFileError(error);
    }
  });
}
