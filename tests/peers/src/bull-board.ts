import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import type {
  AppControllerRoute,
  BullBoardQueues,
  IServerAdapter,
} from '@bull-board/api/typings/app';

/** A queue as its page shows it. */
export interface BoardQueue {
  readonly name: string;
  readonly jobs: readonly { readonly name: string; readonly data: unknown }[];
}

type Queue = ConstructorParameters<typeof BullMQAdapter>[0];

/**
 * Returns the queues that bull-board lists, and up to 100 jobs of each state of one of them. Rejects
 * when the response does not fit the schema of bull-board.
 */
export async function queuesOnBoard(
  queues: readonly Queue[],
  activeQueue: string,
): Promise<readonly BoardQueue[]> {
  let shown: BullBoardQueues = new Map();
  let routes: readonly AppControllerRoute[] = [];
  const server: IServerAdapter = {
    setQueues(added) {
      shown = added;
      return server;
    },
    setApiRoutes(added) {
      routes = added;
      return server;
    },
    setViewsPath: () => server,
    setStaticPath: () => server,
    setEntryRoute: () => server,
    setErrorHandler: () => server,
    setUIConfig: () => server,
  };
  createBullBoard({
    queues: queues.map((queue) => new BullMQAdapter(queue)),
    serverAdapter: server,
    options: { validateResponses: true },
  });
  const route = routes.find(({ route: path }) => path === '/api/queues');
  if (route === undefined) throw new Error('bull-board has no route /api/queues');
  const { status = 200, body } = await route.handler({
    queues: shown,
    uiConfig: {},
    query: { activeQueue, status: 'latest', page: '1', jobsPerPage: '100' },
    params: {},
    body: {},
    headers: {},
  });
  if (status !== 200) throw new Error(`bull-board answered ${status}: ${JSON.stringify(body)}`);
  return (body as { readonly queues: readonly BoardQueue[] }).queues;
}
