import type { components } from '@signalbox/client';
import type { JsonObject } from '@signalbox/mcp-core';
import { isPlainObject } from '../json/plain-object.ts';
import { INBOX_ACTIONS } from '../run/inbox/check-response.ts';
import type { Asked } from './question-of.ts';
import { matchingId } from './matching-id.ts';
import type { ServiceClient } from './service-client.ts';
import { ServiceError, unknownFormat } from './service-error.ts';

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
      ...(isAll ? {} : { state: 'open' as const }),
      ...(run === undefined ? {} : { run_id: run }),
    };
    const items = await this.#service.list((api, at, signal) =>
      api.GET('/v1/inbox', { params: { query: { ...query, ...at } }, signal }),
    );
    return items.map(toItem);
  }

  async get(part: string): Promise<Item> {
    const id = await this.idOf(part);
    return toItem(
      await this.#service.request((api, signal) =>
        api.GET('/v1/inbox/{id}', { params: { path: { id } }, signal }),
      ),
    );
  }

  async respond(id: string, body: JsonObject): Promise<Item> {
    return toItem(
      await this.#service.request((api, signal) =>
        api.POST('/v1/inbox/{id}/respond', {
          params: { path: { id } },
          // The service checks the response against the kind of the item.
          body: body as unknown as components['schemas']['InboxResponse'],
          signal,
        }),
      ),
    );
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
        const { prompt } = await this.#service.request((api, signal) =>
          api.GET('/v1/runs/{id}', { params: { path: { id } }, signal }),
        );
        prompts.set(id, prompt);
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
  if (!isItem) throw unknownFormat();
  // The other fields are only printed.
  return value as unknown as Item;
}
