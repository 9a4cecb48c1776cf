import type { MessageBudget } from './message-budget.ts';

/** Limits on each message of a peer. */
export interface MessageLimits {
  /** Longest accepted message in bytes. */
  readonly maxBytes: number;
  /**
   * Maximum number of structural characters (`{`, `[` and `,` outside of strings). Each becomes a
   * value that takes more memory than its bytes.
   */
  readonly maxParts: number;
  /** Deepest nesting of objects and lists. */
  readonly maxDepth: number;
  /** Budget shared with other connections. Default: none. */
  readonly budget?: MessageBudget | undefined;
}

/** Default of `maxMessageBytes` of the client transports. */
export const DEFAULT_MAX_MESSAGE_BYTES = 4 * 1024 * 1024;
/** Bytes that each part of a message counts as at least. */
export const BYTES_PER_PART = 16;
const MAX_DEPTH = 100;
/**
 * Longest request for a form in bytes, where `maxMessageBytes` is not lower. Its many names make a
 * longer one slow to parse, and no person fills it in.
 */
const MAX_FORM_BYTES = 256 * 1024;
const FORM_METHOD = '"elicitation/create"';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
/** Length from which the native search finds the end of a string faster than a loop. */
const LONG_STRING_BYTES = 48;

/**
 * Returns the limits for messages that a client receives: one part per 16 bytes, and 100 levels.
 */
export function messageLimits(
  maxBytes = DEFAULT_MAX_MESSAGE_BYTES,
  budget?: MessageBudget,
): MessageLimits {
  return { maxBytes, maxParts: Math.floor(maxBytes / BYTES_PER_PART), maxDepth: MAX_DEPTH, budget };
}

/** Returns a limit on the length alone, for trusted senders. */
export function lengthLimit(maxBytes: number): MessageLimits {
  return { maxBytes, maxParts: Infinity, maxDepth: Infinity };
}

/** Describes a message over the length limit, without a subject ("is longer than …"). */
export function tooLong({ maxBytes }: Pick<MessageLimits, 'maxBytes'>): string {
  return `is longer than ${String(maxBytes)} bytes`;
}

const LONG_FORM = `is an elicitation/create request of more than ${String(MAX_FORM_BYTES)} bytes`;

/** Describes a message that exceeds the shared budget, without a subject. */
export const NO_ROOM =
  'finds no room beside the long messages that are being received from this and other servers';

/**
 * Describes why a message is too expensive to parse, without a subject ("has more than …");
 * `undefined` when it is within the limits. Reads the bytes at most once.
 */
export function costProblem(message: Buffer, limits: MessageLimits): string | undefined {
  const { maxParts, maxDepth, maxBytes } = limits;
  if (message.length > maxBytes) return tooLong(limits);
  if (message.length <= harmlessLength(limits)) return undefined;
  const isLong = message.length > lengthOfForms(limits);
  let parts = 0;
  let depth = 0;
  for (let index = 0; index < message.length; index += 1) {
    switch (message[index]) {
      case QUOTE:
        if (isLong && depth === 1 && isFormMethod(message, index)) return LONG_FORM;
        index = endOfString(message, index + 1);
        break;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        parts += 1;
        depth += 1;
        if (depth > maxDepth) return tooDeep(limits);
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        depth -= 1;
        break;
      case COMMA:
        parts += 1;
        break;
      default:
        break;
    }
  }
  return parts > maxParts ? `has more than ${String(maxParts)} values` : undefined;
}

/** Whether the string that begins at `start` is the method of a request for a form. */
function isFormMethod(message: Buffer, start: number): boolean {
  return message.toString('latin1', start, start + FORM_METHOD.length) === FORM_METHOD;
}

/** Describes a message that is nested too deeply, without a subject. */
export function tooDeep({ maxDepth }: Pick<MessageLimits, 'maxDepth'>): string {
  return `is nested deeper than ${String(maxDepth)} levels`;
}

/** Whether a parsed value has more than `levels` levels of objects and lists. Cheaper than reading its text. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) {
    for (const item of value) if (isDeeperThan(item, levels - 1)) return true;
    return false;
  }
  const object = value as { readonly [name: string]: unknown };
  // `Object.values` would copy each object.
  for (const name in object) if (isDeeperThan(object[name], levels - 1)) return true;
  return false;
}

/** Checks the cost of a text as `costProblem` does; encodes it only where it is long. */
export function textCostProblem(text: string, limits: MessageLimits): string | undefined {
  const isShort = text.length <= harmlessLength(limits) && 3 * text.length <= limits.maxBytes;
  return isShort ? undefined : costProblem(Buffer.from(text), limits);
}

/** Returns the length up to which a message is within the limits of parts and depth: each part and each level takes a byte, each level a second one. */
export function harmlessLength({ maxParts, maxDepth }: MessageLimits): number {
  return Math.min(maxParts, 2 * maxDepth);
}

/** Returns the length up to which a message can exceed no limit but that of levels. */
export function shortLength(limits: MessageLimits): number {
  return Math.min(limits.maxBytes, limits.maxParts, lengthOfForms(limits));
}

/** Returns the longest accepted request for a form. Trusted senders have no limit. */
function lengthOfForms({ maxParts }: MessageLimits): number {
  return maxParts === Infinity ? Infinity : MAX_FORM_BYTES;
}

/**
 * Returns the number of bytes that a JSON text counts as: its length, or 16 per part if that is
 * more.
 */
export function costOf(text: string): number {
  const bytes = Buffer.from(text);
  let parts = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index];
    if (byte === QUOTE) index = endOfString(bytes, index + 1);
    else if (byte === COMMA || byte === OPEN_BRACE || byte === OPEN_BRACKET) parts += 1;
  }
  return Math.max(bytes.length, BYTES_PER_PART * parts);
}

/**
 * Returns the index of the closing quote of the string that begins at `start`, or the length of the
 * bytes without one.
 */
function endOfString(bytes: Buffer, start: number): number {
  const loopEnd = Math.min(start + LONG_STRING_BYTES, bytes.length);
  let index = start;
  for (; index < loopEnd; index += 1) {
    const byte = bytes[index];
    if (byte === QUOTE) return index;
    if (byte === BACKSLASH) index += 1;
  }
  for (;;) {
    const quote = bytes.indexOf(QUOTE, index);
    if (quote === -1) return bytes.length;
    let backslashes = 0;
    while (quote - 1 - backslashes >= index && bytes[quote - 1 - backslashes] === BACKSLASH)
      backslashes += 1;
    if (backslashes % 2 === 0) return quote;
    index = quote + 1;
  }
}
