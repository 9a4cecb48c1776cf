import { newIdempotencyKey } from '@signalbox/client';
import { useRef } from 'react';

/** `Idempotency-Key` of the requests of a button. */
export interface RequestKey {
  /** Returns the key of a request. Requests with the same body have the same key until `renew`. */
  readonly of: (body: unknown) => string;
  /** Called after a success, so that the next request has an effect of its own. */
  readonly renew: () => void;
}

/**
 * Returns the key of the requests of a button. If a response is lost, the person presses the button again, and the service answers the
 * request that it has executed already without another effect.
 */
export function useRequestKey(): RequestKey {
  const last = useRef<{ readonly body: string; readonly key: string }>(undefined);
  return {
    of(body) {
      const text = JSON.stringify(body);
      if (last.current?.body !== text) last.current = { body: text, key: newIdempotencyKey() };
      return last.current.key;
    },
    renew() {
      last.current = undefined;
    },
  };
}
