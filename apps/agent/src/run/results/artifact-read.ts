import type { CallToolResult } from '@signalbox/mcp-core';
import type { Artifact } from '../../ports/store/artifact.ts';
import type { ToolSpec } from '../../ports/llm-provider.ts';
import type { RunCore } from '../../ports/store/progress.ts';
import type { Run } from '../../ports/store/run.ts';
import type { StoreReader } from '../../ports/store.ts';
import type { ToolCall } from '../../ports/store/tool-call.ts';
import { ARTIFACT_READ } from './artifacts.ts';
import { failCall, succeedCall } from '../ledger/call-states.ts';
import type { Change } from '../core/commits.ts';
import type { Uses } from '../core/engine-parts.ts';
import { wholeCharacters } from '../text/head-and-tail.ts';

/** Longest piece that one call returns, in bytes. */
const MAX_PIECE_BYTES = 32 * 1024;
const DEFAULT_BYTES = 16 * 1024;
const DEFAULT_LINES = 200;

/** Definition of the tool, offered to the model beside the tools of the servers. */
export const ARTIFACT_READ_SPEC: ToolSpec = {
  name: ARTIFACT_READ,
  description:
    'Reads a piece of an artifact: of the full text of a tool result that was too long to be shown. ' +
    `Say where to begin with offset, and how much with limit, both in bytes (at most ${MAX_PIECE_BYTES}) or, with unit "lines", in lines.`,
  inputSchema: {
    type: 'object',
    properties: {
      id: {
        type: 'string',
        description: 'The id of the artifact, as the shortened result says it',
      },
      offset: { type: 'integer', minimum: 0, description: 'Counts from 0, which is the default' },
      limit: {
        type: 'integer',
        minimum: 1,
        description: `Default ${DEFAULT_BYTES} bytes or ${DEFAULT_LINES} lines`,
      },
      unit: { type: 'string', enum: ['bytes', 'lines'], description: 'Default bytes' },
    },
    required: ['id'],
    additionalProperties: false,
  },
};

export interface ArtifactRead {
  readonly run: Run;
  readonly call: ToolCall;
  /** Reason why the arguments cannot be used. */
  readonly invalid: string | undefined;
}

/**
 * Settles a planned call of `artifact_read` at once. Nothing leaves the service, so no approval is
 * needed.
 */
export async function serveArtifactRead(
  context: Uses<'clock'>,
  change: Change,
  { run, call, invalid }: ArtifactRead,
): Promise<void> {
  const piece = await readPiece(change.sql, run, invalid ?? pieceOf(call.arguments));
  if (typeof piece === 'string') {
    await failCall(context, change, { call, message: piece });
    return;
  }
  const result: CallToolResult = { content: [{ type: 'text', text: piece.text }] };
  await succeedCall(context, change, { call, result });
}

interface Piece {
  readonly id: string;
  readonly offset: number;
  readonly limit: number;
  readonly unit: 'bytes' | 'lines';
}

/** Returns the requested piece, or the problem of the arguments. */
function pieceOf({
  id,
  offset = 0,
  limit,
  unit = 'bytes',
  ...others
}: ToolCall['arguments']): Piece | string {
  const [other] = Object.keys(others);
  if (typeof id !== 'string') return 'id: must be the id of an artifact';
  if (typeof offset !== 'number' || !Number.isSafeInteger(offset) || offset < 0)
    return 'offset: must be a whole number, 0 or more';
  if (unit !== 'bytes' && unit !== 'lines') return 'unit: must be "bytes" or "lines"';
  const count = limit ?? (unit === 'bytes' ? DEFAULT_BYTES : DEFAULT_LINES);
  if (typeof count !== 'number' || !Number.isSafeInteger(count) || count < 1)
    return 'limit: must be a whole number, 1 or more';
  return other === undefined
    ? { id, offset, limit: count, unit }
    : `${other}: there is no such argument; there are id, offset, limit and unit`;
}

async function readPiece(
  read: StoreReader,
  run: Run,
  wanted: Piece | string,
): Promise<{ readonly text: string } | string> {
  if (typeof wanted === 'string') return wanted;
  const artifact = await read.artifact(wanted.id);
  if (artifact === undefined || !(await isReadable(read, run, artifact)))
    return `There is no artifact ${JSON.stringify(wanted.id)} in this conversation.`;
  if (artifact.data !== undefined)
    return `The artifact ${wanted.id} is a file of the type ${artifact.mediaType}, ${artifact.bytes} bytes: it has no text to read.`;
  return wanted.unit === 'bytes' ? bytesOf(artifact, wanted) : linesOf(artifact, wanted);
}

/**
 * Whether the artifact belongs to the run, to its thread or, for forks made by earlier versions, to
 * a run that it was forked from.
 */
async function isReadable(read: StoreReader, run: Run, { id, runId }: Artifact): Promise<boolean> {
  if (await read.ownsArtifact(run, id)) return true;
  const owner = await read.runCore(runId);
  let reader: RunCore | undefined = run;
  while (reader !== undefined) {
    if (
      reader.id === runId ||
      (reader.threadId !== undefined && reader.threadId === owner?.threadId)
    )
      return true;
    reader =
      reader.forkedFrom === undefined ? undefined : await read.runCore(reader.forkedFrom.runId);
  }
  return false;
}

function bytesOf(artifact: Artifact, { offset, limit }: Piece): { readonly text: string } | string {
  if (offset >= artifact.bytes) return `offset: the artifact has ${artifact.bytes} bytes`;
  const bytes = Buffer.from(artifact.text);
  let start = offset;
  while (start > 0 && (bytes[start] ?? 0) >> 6 === 0b10) start -= 1;
  // At least one whole character is returned, however small the limit.
  const piece = wholeCharacters(
    bytes.subarray(start, start + Math.min(Math.max(limit, 4), MAX_PIECE_BYTES)),
  );
  const end = start + Buffer.byteLength(piece);
  return {
    text: `[bytes ${start} to ${end} of ${artifact.bytes}${continuation(end, artifact.bytes)}${notKept(artifact, end === artifact.bytes)}]\n${piece}`,
  };
}

function linesOf(artifact: Artifact, { offset, limit }: Piece): { readonly text: string } | string {
  const lines = artifact.text.split('\n');
  if (offset >= lines.length) return `offset: the artifact has ${lines.length} lines`;
  const taken: string[] = [];
  let room = MAX_PIECE_BYTES;
  for (const line of lines.slice(offset, offset + limit)) {
    room -= Buffer.byteLength(line) + 1;
    if (room < 0) break;
    taken.push(line);
  }
  if (taken.length === 0)
    return `Line ${offset} alone is longer than ${MAX_PIECE_BYTES} bytes: read it in bytes. It begins at offset ${Buffer.byteLength(lines.slice(0, offset).join('\n')) + (offset === 0 ? 0 : 1)}.`;
  const end = offset + taken.length;
  return {
    text: `[lines ${offset} to ${end} of ${lines.length}${continuation(end, lines.length)}${notKept(artifact, end === lines.length)}]\n${taken.join('\n')}`,
  };
}

function continuation(end: number, total: number): string {
  return end < total ? `; continue with offset ${end}` : '; this is the end';
}

function notKept({ bytes, originalBytes }: Artifact, isEnd: boolean): string {
  return isEnd && originalBytes > bytes ? ` of what was kept of ${originalBytes} bytes` : '';
}
