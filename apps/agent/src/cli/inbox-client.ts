import type { JsonObject } from '@signalbox/mcp-core';
import { isPlainObject } from '../json/plain-object.ts';
import { INBOX_ACTIONS } from '../run/inbox/check-response.ts';
import type { Asked } from './ask-person.ts';
import { matchingId } from './matching-id.ts';
import { ServiceError, type ServiceClient } from './service-client.ts';

/** An inbox item of the REST API. */
export interface Item extends Asked {
  readonly run_id: string;
  readonly state: string;
  readonly created_at: string;
  readonly expires_at: string;
  readonly response?: JsonObject;
  /** Whether long texts of the item are cut, as in a list. */
  readonly is_shortened?: boolean;
}

export interface ItemFilter {
  readonly run: string | undefined;
  /** Whether closed items are listed as well. */
  readonly isAll: boolean;
}

/** The inbox of a running service. Its methods throw ServiceError. */
export class InboxClient {
  readonly #service: ServiceClient;

  constructor(service: ServiceClient) {
    this.#service = service;
  }

  async list({ run, isAll }: ItemFilter): Promise<readonly Item[]> {
    const query = {
      ...(isAll ? {} : { state: 'open' }),
      ...(run === undefined ? {} : { run_id: run }),
    };
    return (await this.#service.list('/v1/inbox', query)).map(toItem);
  }

  async get(id: string): Promise<Item> {
    return toItem(await this.#service.get(`/v1/inbox/${encodeURIComponent(await this.idOf(id))}`));
  }

  async respond(id: string, body: JsonObject): Promise<Item> {
    return toItem(await this.#service.post(`/v1/inbox/${encodeURIComponent(id)}/respond`, body));
  }

  /** Returns the id that begins or ends with `part`, and `part` itself when no id does. @throws UsageError when several ids do */
  idOf(part: string): Promise<string> {
    return matchingId(part, 'inbox items', async () =>
      (await this.list({ run: undefined, isAll: true })).map(({ id }) => id),
    );
  }

  /** Returns the prompts of the items' runs by run id, without the runs that cannot be read. */
  async prompts(items: readonly Item[]): Promise<ReadonlyMap<string, string>> {
    const prompts = new Map<string, string>();
    for (const id of new Set(items.map(({ run_id: run }) => run))) {
      try {
        const { prompt } = await this.#service.get(`/v1/runs/${encodeURIComponent(id)}`);
        if (typeof prompt === 'string') prompts.set(id, prompt);
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
      }
    }
    return prompts;
  }
}

function toItem(value: unknown): Item {
  const isItem =
    isPlainObject(value) &&
    typeof value['id'] === 'string' &&
    Object.hasOwn(INBOX_ACTIONS, String(value['kind'])) &&
    isPlainObject(value['request']);
  if (!isItem)
    throw new ServiceError(
      'the response of the service has an unknown format: use the same version of signalbox for the command and the service',
    );
  // The other fields are only printed.
  return value as unknown as Item;
}
