import { isRequestId } from './envelope.ts';
import type { RequestId } from './messages.ts';

/** Identifies the request to which a discarded message belongs. */
export interface RefusedId {
  /** Id of our request, when the message is its response. */
  readonly answers?: RequestId;
  /** Id of the peer's request, when the message is one. */
  readonly requests?: RequestId;
}

const SPACE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
/** Longer tokens cannot be ids that this side uses. */
const MAX_TOKEN_LENGTH = 256;

/**
 * Finds the id of a message that is discarded as it arrives: reads the members of its outermost
 * object in any order and in constant memory. A batch has no id; text that is not JSON has no id or
 * a wrong one.
 */
export class RefusedMessage {
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  #isKey = true;
  #key = '';
  #token = '';
  #id: RequestId | undefined;
  #kind: 'answers' | 'requests' | undefined;
  /** Whether the outermost object has ended, or the message is no object. */
  #isOver = false;

  /** Defined as soon as both the id and the kind of the message are known. */
  get found(): RefusedId | undefined {
    return this.#id === undefined || this.#kind === undefined
      ? undefined
      : { [this.#kind]: this.#id };
  }

  /** Reads the next bytes of the message. Returns the id once it is known. */
  push(bytes: Buffer): RefusedId | undefined {
    for (let index = 0; index < bytes.length; index += 1) {
      if (this.#isOver || this.found !== undefined) break;
      if (this.#isInString && this.#depth > 1 && !this.#isEscaped)
        index = nextInString(bytes, index);
      const byte = bytes[index];
      if (byte === undefined) break;
      if (this.#isInString) this.#readInString(byte);
      else this.#readStructure(byte);
    }
    return this.found;
  }

  #readInString(byte: number): void {
    if (this.#depth === 1) this.#collect(byte);
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#isInString = false;
  }

  #readStructure(byte: number): void {
    if (this.#depth === 0 && byte !== OPEN_BRACE) {
      this.#isOver = byte > SPACE;
      return;
    }
    switch (byte) {
      case QUOTE:
        this.#isInString = true;
        break;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        this.#depth += 1;
        return;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        if (this.#depth === 1) this.#endMember();
        this.#depth -= 1;
        this.#isOver = this.#depth === 0;
        return;
      case COLON:
        if (this.#depth === 1 && this.#isKey) this.#endKey();
        return;
      case COMMA:
        if (this.#depth === 1) this.#endMember();
        return;
      default:
        break;
    }
    if (this.#depth === 1) this.#collect(byte);
  }

  #collect(byte: number): void {
    if (this.#token.length < MAX_TOKEN_LENGTH) this.#token += String.fromCharCode(byte);
  }

  #endKey(): void {
    this.#key = this.#token.trim();
    this.#token = '';
    this.#isKey = false;
    if (this.#key === '"result"' || this.#key === '"error"') this.#kind ??= 'answers';
    if (this.#key === '"method"') this.#kind = 'requests';
  }

  #endMember(): void {
    const id = this.#key === '"id"' ? parseId(this.#token) : undefined;
    if (id !== undefined) this.#id = id;
    this.#key = '';
    this.#token = '';
    this.#isKey = true;
  }
}

/** Finds the id of a discarded message that is held completely. */
export function idOfRefused(message: Buffer): RefusedId {
  return new RefusedMessage().push(message) ?? {};
}

/** Returns the index of the next byte that ends the string or escapes a character. */
function nextInString(bytes: Buffer, start: number): number {
  let index = start;
  while (index < bytes.length && bytes[index] !== QUOTE && bytes[index] !== BACKSLASH) index += 1;
  return index;
}

function parseId(token: string): RequestId | undefined {
  try {
    const value: unknown = JSON.parse(token);
    return isRequestId(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
