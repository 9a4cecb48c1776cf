import { constants } from 'node:fs';
import {
  hashOf,
  PathError,
  type PinnedPath,
  type Sandbox,
  withFileTarget,
  writeTarget,
} from '@signalbox/file-sandbox';
import { splitLines, unifiedDiff } from './edit-diff.ts';
import { restoreLineEndings, withLineFeeds } from './edit-line-endings.ts';
import { applyEdits } from './edit-matching.ts';
import type { TextEdit } from './text-edit.ts';
import { requireRegularFile } from './read-text.ts';
import { decodeText, encodeText, type DecodedText, type LineEnding } from './text-encoding.ts';
import { Turns } from './turns.ts';

export interface EditOptions {
  /** Whether to compute the result without writing it. */
  readonly dryRun: boolean;
  /** Expected hash of the current content. */
  readonly expectedHash?: string | undefined;
  readonly signal: AbortSignal;
}

export interface EditedFile {
  readonly realPath: string;
  readonly diff: string;
  readonly replacements: number;
  /** Hash of the edited content, also after a dry run. */
  readonly hash: string;
  readonly eol: LineEnding;
}

/** Largest file that can be edited: memory holds the text and its edited form. */
export const maxEditBytes = 16 * 1024 * 1024;

/**
 * Applies all edits to a text file, or none. Keeps line endings, byte order mark, encoding and
 * mode. Edits of one file run one after the other, also across the servers of this machine. A
 * change by another program is an error until the last check, right before the rename.
 * @throws PathError
 */
export async function editFile(
  sandbox: Sandbox,
  target: { readonly path: string; readonly edits: readonly TextEdit[] },
  options: EditOptions,
): Promise<EditedFile> {
  const { dryRun, expectedHash, signal } = options;
  return withFileTarget(sandbox, target.path, {
    signal,
    body: async (found) => {
      if (found.file === undefined)
        throw new PathError('not-found', `${target.path}: no such file`);
      const bytes = await readWhole(found.file, target.path);
      const hash = hashOf(bytes);
      if (expectedHash !== undefined && hash !== expectedHash) {
        throw new PathError(
          'refused',
          `${target.path} has changed: its hash is ${hash}, not the expected ${expectedHash}. Nothing was written. Read it again.`,
        );
      }
      const edited = await editBytes(bytes, { ...target, realPath: found.file.realPath, signal });
      signal.throwIfAborted();
      if (!dryRun)
        await writeTarget(sandbox, found, { content: edited.content, expectedHash: hash, signal });
      const { content, ...outcome } = edited;
      return { ...outcome, realPath: found.file.realPath, hash: hashOf(content) };
    },
  });
}

interface EditedBytes {
  readonly content: Buffer;
  readonly diff: string;
  readonly replacements: number;
  readonly eol: LineEnding;
}

interface BytesEdit {
  readonly path: string;
  readonly edits: readonly TextEdit[];
  readonly realPath: string;
  readonly signal: AbortSignal;
}

/** Maximum number of lines of a file that can be edited. */
const maxEditLines = 1_000_000;
/** Time limit for the computation of one call, in milliseconds. */
const maxEditMs = 10_000;

async function editBytes(
  bytes: Buffer,
  { path, realPath, signal, ...target }: BytesEdit,
): Promise<EditedBytes> {
  const tooLong = () =>
    new PathError(
      'refused',
      `${path}: the edits take more than ${maxEditMs / 1000} s; nothing was changed. Make fewer at once, or shorter ones.`,
    );
  const turns = new Turns({ signal, maxMs: maxEditMs, tooLong });
  requireFewLines(bytes, path);
  const decoded = decodeText(bytes);
  if (decoded === undefined)
    throw new PathError(
      'binary',
      `${path} is not text, or its UTF-16 is damaged; it was not changed.`,
    );
  const { eol } = decoded;
  const edits = target.edits.map((edit) => ({
    ...edit,
    oldText: withLineFeeds(edit.oldText, eol),
    newText: withLineFeeds(edit.newText, eol),
  }));
  if (decoded.encoding === 'latin1') requireKnownCharacters(edits, path);
  const original = withLineFeeds(decoded.text, eol);
  const { text, replacements } = await applyEdits(original, edits, turns);
  const content = encodeText(await restoreLineEndings(text, decoded, turns), decoded);
  requireSameText(content, decoded, path);
  const diff = await unifiedDiff(realPath, {
    before: splitLines(original),
    after: splitLines(text),
    turns,
  });
  return { content, diff, replacements, eol };
}

function requireFewLines(bytes: Buffer, path: string): void {
  let lines = 0;
  for (let at = bytes.indexOf(0x0a); at !== -1; at = bytes.indexOf(0x0a, at + 1)) {
    if (++lines > maxEditLines)
      throw new PathError(
        'refused',
        `${path} has more than ${maxEditLines} lines; longer files cannot be edited.`,
      );
  }
}

/**
 * Rejects new characters whose bytes are unknown: the 8-bit encoding of the file cannot be
 * determined.
 */
function requireKnownCharacters(edits: readonly TextEdit[], path: string): void {
  for (const { oldText, newText } of edits) {
    const foreign = Array.from(newText).find(
      (character) => character > '\x7f' && !oldText.includes(character),
    );
    if (foreign === undefined) continue;
    throw new PathError(
      'refused',
      `${path} is not UTF-8, and how its encoding writes ${JSON.stringify(foreign)} is not known; nothing was changed. Use ASCII, or convert the file first.`,
    );
  }
}

/**
 * Rejects an edit after which the file would no longer be read as the same text, for example
 * because of a NUL character.
 */
function requireSameText(content: Buffer, { encoding }: DecodedText, path: string): void {
  const again = decodeText(content);
  if (again !== undefined && (again.encoding === encoding || encoding === 'latin1')) return;
  throw new PathError(
    'refused',
    `${path} would no longer be ${encoding} text after these edits; nothing was changed.`,
  );
}

async function readWhole(file: PinnedPath, path: string): Promise<Buffer> {
  requireRegularFile(file);
  await using handle = await file.open(constants.O_RDONLY);
  const { size } = await handle.stat();
  if (size > maxEditBytes)
    throw new PathError(
      'refused',
      `${path} has ${size} bytes; at most ${maxEditBytes} can be edited.`,
    );
  const buffer = Buffer.alloc(maxEditBytes < size * 2 ? maxEditBytes + 1 : size + 65_536);
  let length = 0;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
    length += bytesRead;
    if (bytesRead === 0) return buffer.subarray(0, length);
    if (length === buffer.length)
      throw new PathError(
        'refused',
        `${path} grows while it is read; nothing was changed. Try again.`,
      );
  }
}
