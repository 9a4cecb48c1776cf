import { Artifacts } from './artifacts/artifacts.ts';
import { createApi, type Api, type ClientOptions } from './create-api.ts';
import { Inbox } from './inbox/inbox.ts';
import { Runs } from './runs/runs.ts';

/** A client of one service. It holds no connection and needs no closing. */
export interface Client {
  readonly api: Api;
  readonly runs: Runs;
  readonly inbox: Inbox;
  readonly artifacts: Artifacts;
}

/**
 * Creates a client of a service. Nothing is sent before the first request.
 * @throws TypeError if `baseUrl` is not a URL
 */
export function createClient(options: ClientOptions): Client {
  const api = createApi(options);
  return { api, runs: new Runs(api), inbox: new Inbox(api), artifacts: new Artifacts(api) };
}
