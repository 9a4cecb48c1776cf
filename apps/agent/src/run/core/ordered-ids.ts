import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

/** Random bytes of one id. */
const ID_BYTES = 16;

/** Ids for which random bytes are requested at once. Requesting them costs more than the rest of an id. */
const IDS_AT_ONCE = 256;

/** Number of ids of one millisecond, beginning with a random number below half of it. */
const SEQUENCE = 2 ** 32;

/** Returns a source of UUIDv7 ids, each of them greater than those before it. */
export function orderedIds(now: () => number = Date.now): () => string {
  const pool = new Uint8Array(ID_BYTES * IDS_AT_ONCE);
  let used = pool.length;
  let msecs = -Infinity;
  let seq = 0;
  return () => {
    if (used === pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    const random = pool.subarray(used, used + ID_BYTES);
    used += ID_BYTES;
    const time = now();
    if (time > msecs) {
      msecs = time;
      seq = new DataView(random.buffer, random.byteOffset).getUint32(0) % (SEQUENCE / 2);
    } else if (seq + 1 < SEQUENCE) seq += 1;
    else {
      msecs += 1;
      seq = 0;
    }
    return v7({ random, msecs, seq });
  };
}
