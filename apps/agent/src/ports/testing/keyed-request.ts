import type { KeptResponse, KeyedRequest } from '../store/idempotency.ts';

/** Returns a request of principal `p` with the key `k`. */
export const request = (fields: Partial<KeyedRequest> = {}): KeyedRequest => ({
  principal: 'p',
  key: 'k',
  requestSha256: 'aa',
  owner: 'worker-1',
  ...fields,
});
export const RESPONSE: KeptResponse = {
  status: 202,
  location: '/v1/runs/r1',
  body: { id: 'r1', nested: [1, null] },
};
