import { isAscii, isUtf8 } from 'node:buffer';
import type { Hash } from 'node:crypto';
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import {
  nodeCrypto,
  PathError,
  requireRegularFile as requireFile,
  type PinnedPath,
} from '@signalbox/file-sandbox';
import {
  countFeeds,
  countLines,
  cutTail,
  lastLines,
  LineWindow,
  type LineRangeFrom,
  type Slice,
} from './line-window.ts';
import { decodeBytes } from './decode-bytes.ts';
import { countText } from './limits.ts';
import { fitText, type ShownText } from './shown-text.ts';
import {
  inspectStart,
  kindOfLineEnds,
  type LineEnding,
  type TextEncoding,
} from './text-encoding.ts';

/** The lines to return; lines are 1-based and keep their terminators. */
export type LineRange =
  | ({ readonly kind: 'from' } & LineRangeFrom)
  | { readonly kind: 'tail'; readonly count: number };

export interface TextWindow extends ShownText {
  readonly eol: LineEnding;
  readonly bom: boolean;
  readonly encoding: TextEncoding;
  /** Bytes of the whole file. */
  readonly size: number;
  /** Hash of the whole file, present when it was read completely and has at most 256 KiB. */
  readonly hash?: string;
}

export interface ReadTextOptions {
  readonly range: LineRange;
  /** Default: the encoding of the byte order mark, else UTF-8, else Latin-1. */
  readonly encoding?: TextEncoding;
  /** Whether each line begins with its number and a tab; default false. */
  readonly lineNumbers?: boolean;
  readonly maxBytes: number;
  /** Bytes of JSON that the result may take with the text in it twice. */
  readonly maxResultBytes: number;
  readonly signal: AbortSignal;
  /** Called with the number of bytes scanned so far. */
  readonly onScanned: (bytes: number) => void;
}

/**
 * Reads lines of a verified text file with memory bounded by `maxBytes`, whatever the file's size.
 * @throws PathError for a directory, special file or binary file, and for text that is not in the given encoding
 */
export async function readText(file: PinnedPath, options: ReadTextOptions): Promise<TextWindow> {
  requireRegularFile(file);
  await using handle = await file.open(constants.O_RDONLY);
  const { size } = file.stats;
  // One read covers a result and shows whether more follows.
  const buffer = Buffer.allocUnsafe(
    Math.min(Math.max(inspectedBytes, options.maxBytes + 4), size + 1),
  );
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
  const opened = {
    handle,
    size,
    path: file.realPath,
    encoding: options.encoding,
    isStartWhole: size > 0 && bytesRead < buffer.length,
  };
  const source = inspect(buffer.subarray(0, bytesRead), opened);
  const slice =
    options.range.kind === 'tail'
      ? await readTail(source, options.range.count, options)
      : await readFrom(source, options.range, options);
  return describe(source, slice, options);
}

/** @throws PathError when the path is anything but a regular file */
export function requireRegularFile(file: PinnedPath): void {
  requireFile(file, 'use list_directory');
}

const chunkBytes = 256 * 1024;
const smallestChunkBytes = 4096;
const inspectedBytes = 8192;
/** Largest file that gets a hash; for a larger file the hash would take an eighth of the time. */
const hashedBytes = 256 * 1024;

interface TextSource {
  readonly handle: FileHandle;
  readonly path: string;
  readonly size: number;
  /** An opened file with the facts known from its first bytes. */
  readonly encoding: TextEncoding;
  /** Whether the caller chose the encoding. */
  readonly isGiven: boolean;
  readonly markBytes: number;
  /** The first chunk of the file. */
  readonly start: Buffer;
  /** Whether `start` is the whole file. */
  readonly isStartWhole: boolean;
}

interface OpenedFile {
  readonly handle: FileHandle;
  readonly path: string;
  readonly size: number;
  readonly encoding: TextEncoding | undefined;
  readonly isStartWhole: boolean;
}

/** Determines the encoding from the first 8 KiB, and rejects files that are not text. */
function inspect(start: Buffer, { encoding, path, ...opened }: OpenedFile): TextSource {
  const found = inspectStart(start.subarray(0, inspectedBytes));
  if (found === undefined && encoding === undefined) {
    throw new PathError(
      'binary',
      `${path} is a binary file; read_text_file reads text only. Use read_media_file to get its bytes, or name its encoding.`,
    );
  }
  const isMarkOfEncoding = found !== undefined && (encoding ?? found.encoding) === found.encoding;
  return {
    ...opened,
    path,
    start,
    encoding: encoding ?? found?.encoding ?? 'utf-8',
    isGiven: encoding !== undefined,
    markBytes: isMarkOfEncoding ? found.markBytes : 0,
  };
}

interface ReadSlice extends Slice {
  readonly hash?: string;
  /** Whether the text is the whole file; its lines are then not counted. */
  readonly isWhole?: true;
}

async function readFrom(
  source: TextSource,
  range: LineRangeFrom,
  options: ReadTextOptions,
): Promise<ReadSlice> {
  const { handle, markBytes, start } = source;
  // Do not read a file as a whole that does not fit; UTF-16 text may double in size as UTF-8.
  const isWhole =
    range.offset === 1 &&
    (range.column ?? 1) === 1 &&
    range.limit === Infinity &&
    source.size <= options.maxBytes * 2;
  const hash =
    isWhole && source.size <= hashedBytes ? nodeCrypto().createHash('sha256') : undefined;
  const transcode = transcoder(source.encoding);
  hash?.update(start);
  const text = transcode(start.subarray(markBytes));
  if (isWhole && source.isStartWhole && text.length <= options.maxBytes)
    return {
      bytes: text,
      truncated: false,
      isWhole: true,
      ...(hash === undefined ? {} : { hash: digestOf(hash) }),
    };
  const window = new LineWindow(range, options.maxBytes);
  window.take(text);
  let buffer = Buffer.alloc(0);
  for (let position = start.length; !window.isComplete;) {
    options.signal.throwIfAborted();
    // Files of /proc report a size of 0.
    const wanted = Math.min(chunkBytes, Math.max(source.size - position + 1, smallestChunkBytes));
    // The window keeps parts of the previous chunk.
    if (window.hasKept || buffer.length < wanted) buffer = Buffer.allocUnsafe(wanted);
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0)
      return { ...window.finish(true), ...(hash === undefined ? {} : { hash: digestOf(hash) }) };
    const chunk = buffer.subarray(0, bytesRead);
    hash?.update(chunk);
    window.take(transcode(chunk));
    position += bytesRead;
    options.onScanned(position);
  }
  return window.finish(false);
}

function digestOf(hash: Hash): string {
  return `sha256:${hash.digest('hex')}`;
}

async function readTail(
  source: TextSource,
  wanted: number,
  options: ReadTextOptions,
): Promise<ReadSlice> {
  const { handle, markBytes, size, encoding } = source;
  const parts: Buffer[] = [];
  let position = size - (isUtf16(encoding) ? size % 2 : 0);
  let collected = 0;
  let feeds = 0;
  // The feed at the end of the last line begins no further line, hence one feed more.
  while (position > markBytes && collected <= options.maxBytes * 2 && feeds <= wanted) {
    options.signal.throwIfAborted();
    const from = Math.max(markBytes, position - chunkBytes);
    const { buffer, bytesRead } = await handle.read(
      Buffer.allocUnsafe(position - from),
      0,
      position - from,
      from,
    );
    const part = buffer.subarray(0, bytesRead);
    parts.unshift(part);
    position = from;
    collected += bytesRead;
    feeds += countFeeds(transcoder(encoding)(part));
  }
  // Decode at once: a character may span two parts.
  const bytes = transcoder(encoding)(
    parts.length === 1 ? (parts[0] ?? Buffer.alloc(0)) : Buffer.concat(parts),
  );
  const lines = lastLines(bytes, wanted);
  const kept = lines.length > options.maxBytes ? cutTail(lines, options.maxBytes) : lines;
  const truncated = kept.length < lines.length;
  if (position > markBytes && options.lineNumbers !== true) return { bytes: kept, truncated };
  const before = await countFeedsBefore(source, position, options);
  const total =
    before + countFeeds(bytes.subarray(0, bytes.length - kept.length)) + countLines(kept);
  return {
    bytes: kept,
    startLine: total - countLines(kept) + 1,
    endLine: total,
    totalLines: total,
    truncated,
  };
}

async function countFeedsBefore(
  { handle, encoding, markBytes }: TextSource,
  end: number,
  { signal, onScanned }: ReadTextOptions,
): Promise<number> {
  const buffer = Buffer.allocUnsafe(chunkBytes);
  const transcode = transcoder(encoding);
  let feeds = 0;
  for (let position = markBytes; position < end;) {
    signal.throwIfAborted();
    const { bytesRead } = await handle.read(
      buffer,
      0,
      Math.min(chunkBytes, end - position),
      position,
    );
    if (bytesRead === 0) break;
    feeds += countFeeds(transcode(buffer.subarray(0, bytesRead)));
    position += bytesRead;
    onScanned(position);
  }
  return feeds;
}

/**
 * Returns a function that converts consecutive chunks of UTF-16 to UTF-8 and leaves other encodings
 * unchanged.
 */
function transcoder(encoding: TextEncoding): (chunk: Buffer) => Buffer {
  if (!isUtf16(encoding)) return (chunk) => chunk;
  const decoder = new TextDecoder(encoding, { ignoreBOM: true });
  return (chunk) => Buffer.from(decoder.decode(chunk, { stream: true }));
}

function isUtf16(encoding: TextEncoding): boolean {
  return encoding === 'utf-16le' || encoding === 'utf-16be';
}

function describe(
  source: TextSource,
  { bytes, hash, isWhole, ...lines }: ReadSlice,
  options: ReadTextOptions,
): TextWindow {
  const { encoding, content } = decode(source, bytes);
  const counts = countText(bytes);
  const { feeds } = counts;
  const place =
    isWhole === true ? allLines(feeds + (content === '' || content.endsWith('\n') ? 0 : 1)) : {};
  const keep = options.range.kind === 'tail' ? 'end' : 'start';
  const jsonBytes = encoding === 'latin1' ? undefined : counts.jsonBytes;
  const column = options.range.kind === 'from' ? options.range.column : undefined;
  const bytesOf =
    encoding === 'latin1'
      ? (text: string) => text.length
      : (text: string) => Buffer.byteLength(text);
  const { lineNumbers = false, maxResultBytes } = options;
  const shown = fitText(
    { content, ...lines, ...place },
    { lineNumbers, keep, maxResultBytes, jsonBytes, column, bytesOf },
  );
  return {
    ...shown,
    eol: kindOfLineEnds(counts),
    bom: source.markBytes > 0,
    encoding,
    size: source.size,
    ...(hash === undefined || shown.truncated ? {} : { hash }),
  };
}

function allLines(count: number): Pick<ShownText, 'startLine' | 'endLine' | 'totalLines'> {
  return { startLine: 1, endLine: count, totalLines: count };
}

function decode(
  { encoding, isGiven, path }: TextSource,
  bytes: Buffer,
): { readonly encoding: TextEncoding; readonly content: string } {
  switch (encoding) {
    case 'latin1':
      return { encoding, content: decodeBytes(bytes, 'latin1') };
    case 'utf-8':
      // Decoding as Latin-1 is much faster than as UTF-8.
      if (isAscii(bytes)) return { encoding, content: decodeBytes(bytes, 'latin1') };
      if (isUtf8(bytes)) return { encoding, content: decodeBytes(bytes, 'utf8') };
      if (isGiven)
        throw new PathError(
          'binary',
          `${path} is not valid UTF-8. Leave out encoding, or use latin1, to see each byte as one character.`,
        );
      return { encoding: 'latin1', content: decodeBytes(bytes, 'latin1') };
    case 'utf-16le':
    case 'utf-16be':
      return { encoding, content: decodeBytes(bytes, 'utf8') };
  }
}
