import type { InboxItem } from '../api-types.ts';
import type { Api } from '../create-api.ts';
import type { operations } from '../generated/openapi.ts';
import { paginate } from '../paginate.ts';
import type { RetryOptions } from '../retry/back-off.ts';
import { newIdempotencyKey } from '../retry/idempotency-key.ts';
import { withRetries, type OnceOptions } from '../retry/with-retries.ts';
import { unwrap } from '../unwrap.ts';
import type { ResponseTo } from './inbox-responses.ts';

/** Filter of a list of inbox items. */
export type InboxQuery = NonNullable<operations['listInboxItems']['parameters']['query']>;

/** Requests about the items that wait for a person. Their methods throw `ProblemError`, or the error of `fetch`. */
export class Inbox {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /** Yields the items that match, oldest first, over all pages. An item with `is_shortened` lacks long parts, which `get` returns. */
  list(
    query: InboxQuery = {},
    { signal }: Pick<RetryOptions, 'signal'> = {},
  ): AsyncGenerator<InboxItem, void> {
    return paginate((at) =>
      unwrap(
        this.#api.GET('/v1/inbox', {
          params: { query: { ...query, ...at } },
          signal: signal ?? null,
        }),
      ),
    );
  }

  /** Returns an item in full. */
  get(id: string, { signal }: Pick<RetryOptions, 'signal'> = {}): Promise<InboxItem> {
    return unwrap(
      this.#api.GET('/v1/inbox/{id}', { params: { path: { id } }, signal: signal ?? null }),
    );
  }

  /**
   * Responds to an open item, once, even if the response is lost and the request is sent again. The `kind` of the item decides which responses the types allow.
   * @throws ProblemError `invalid_response` with the wrong `fields`, and `inbox_item_not_open`
   */
  respond<Kind extends InboxItem['kind']>(
    item: { readonly id: string; readonly kind: Kind },
    response: ResponseTo<Kind>,
    { idempotencyKey = newIdempotencyKey(), ...options }: OnceOptions = {},
  ): Promise<InboxItem> {
    return withRetries(options, (signal) =>
      unwrap(
        this.#api.POST('/v1/inbox/{id}/respond', {
          params: { path: { id: item.id }, header: { 'Idempotency-Key': idempotencyKey } },
          body: response,
          signal,
        }),
      ),
    );
  }
}
