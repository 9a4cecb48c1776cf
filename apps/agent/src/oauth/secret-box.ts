import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import type { SecretName } from '../ports/store/secrets.ts';

/** A text that was encrypted, and the id of its key. */
export interface SealedText {
  readonly sealed: string;
  readonly keyId: string;
}

const FORMAT = 'v1';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

interface Key {
  readonly id: string;
  readonly secret: Buffer;
}

/**
 * Encrypts secrets with AES-256-GCM. The first key encrypts; every key decrypts. The kind and the
 * name of a secret are authenticated, so that a row cannot be moved to another place.
 */
export class SecretBox {
  readonly #current: Key;
  readonly #keys: ReadonlyMap<string, Key>;

  /** `keys`: at least one, each of 32 bytes; the first is the current one. */
  constructor(keys: readonly Buffer[]) {
    const [current, ...others] = keys.map(toKey);
    if (current === undefined) throw new Error('A secret box needs a key.');
    this.#current = current;
    this.#keys = new Map([...others, current].map((key) => [key.id, key]));
  }

  /** Id of the key that encrypts. */
  get keyId(): string {
    return this.#current.id;
  }

  /** Encrypts a text for one place. */
  seal(text: string, place: SecretName): SealedText {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#current.secret, nonce);
    cipher.setAAD(placeOf(place));
    const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    const bytes = Buffer.concat([nonce, cipher.getAuthTag(), encrypted]);
    return { sealed: `${FORMAT}.${bytes.toString('base64url')}`, keyId: this.#current.id };
  }

  /** Decrypts a text. Returns `undefined` when its key is unknown, or it was changed or moved. */
  open({ sealed, keyId }: SealedText, place: SecretName): string | undefined {
    const key = this.#keys.get(keyId);
    const [format, content] = sealed.split('.');
    const bytes = Buffer.from(content ?? '', 'base64url');
    if (key === undefined || format !== FORMAT || bytes.length < NONCE_BYTES + TAG_BYTES)
      return undefined;
    const decipher = createDecipheriv('aes-256-gcm', key.secret, bytes.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(placeOf(place));
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    try {
      const text = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
      return Buffer.concat([text, decipher.final()]).toString('utf8');
    } catch {
      // The authentication failed.
      return undefined;
    }
  }
}

function toKey(secret: Buffer): Key {
  const id = createHash('sha256').update('signalbox key id').update(secret).digest('hex');
  const derived = hkdfSync('sha256', secret, '', 'signalbox secrets', 32);
  return { id: id.slice(0, 16), secret: Buffer.from(derived) };
}

function placeOf({ kind, name }: SecretName): Buffer {
  return Buffer.from(JSON.stringify([kind, name]));
}
