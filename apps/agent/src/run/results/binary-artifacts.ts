import type { CallToolResult, ContentBlock, ImageContent } from '@signalbox/mcp-core';
import type { Artifact, ListedArtifact } from '../../ports/store/artifact.ts';
import type { Block, Message } from '../../ports/llm-provider.ts';
import type { StoreReader } from '../../ports/store.ts';
import type { ToolCall } from '../../ports/store/tool-call.ts';
import { ARTIFACT_KEY, MAX_ARTIFACT_BYTES, MAX_INLINE_BYTES, ownArtifact } from './artifacts.ts';
import type { Change } from '../core/commits.ts';
import type { Uses } from '../core/engine-parts.ts';

/**
 * Largest image that is sent to a model, in bytes. As base64 it stays under the 5 MB that providers
 * accept.
 */
const MAX_MODEL_IMAGE_BYTES = 3_500_000;

/**
 * Maximum number of bytes of artifact images in one request to a model; the newest images count
 * first.
 */
const MAX_MODEL_IMAGES_BYTES = 16 * 1024 * 1024;

const MEDIA_TYPE = /^[\w.+-]{1,127}\/[\w.+-]{1,127}(?:;[ -~]{1,127})?$/;

/** Maximum number of binary artifacts of one result. */
const MAX_BINARIES = 100;

interface Binary {
  /** Description for people and models. */
  readonly what: string;
  readonly mediaType: string;
  /** Base64 text. */
  readonly data: string;
}

/**
 * Stores the binary parts of a result as artifacts, except the first short ones. An image stays as a block without data,
 * which `withImages` fills for the model. Other parts become a note.
 */
export async function storeBinaries(
  context: Uses<'clock' | 'newId'>,
  change: Change,
  { call, result }: { readonly call: ToolCall; readonly result: CallToolResult },
): Promise<CallToolResult> {
  let room = MAX_INLINE_BYTES;
  let kept = 0;
  const content: ContentBlock[] = [];
  for (const block of result.content) {
    const binary = binaryOf(block);
    const isInline = binary === undefined || binary.data.length <= room;
    if (isInline) room -= binary?.data.length ?? 0;
    else kept += 1;
    if (isInline) content.push(block);
    else if (kept <= MAX_BINARIES)
      content.push(await keep(context, change, { call, block, binary }));
  }
  if (kept === 0) return result;
  if (kept > MAX_BINARIES)
    content.push(
      note(
        `${kept - MAX_BINARIES} further files: not kept, because one result may have ${MAX_BINARIES}`,
      ),
    );
  return { ...result, content };
}

async function keep(
  { newId, clock }: Uses<'clock' | 'newId'>,
  { sql, runId }: Change,
  {
    call,
    block,
    binary,
  }: { readonly call: ToolCall; readonly block: ContentBlock; readonly binary: Binary },
): Promise<ContentBlock> {
  const data = Buffer.from(binary.data, 'base64');
  const described = `${binary.what}, ${binary.mediaType}, ${data.length} bytes`;
  if (data.length > MAX_ARTIFACT_BYTES)
    return note(`${described}: not kept, because it is longer than ${MAX_ARTIFACT_BYTES} bytes`);
  const artifact: Artifact = {
    id: newId(),
    runId,
    callId: call.id,
    mediaType: binary.mediaType,
    text: '',
    data,
    bytes: data.length,
    originalBytes: data.length,
    createdAt: clock.now(),
  };
  await sql.insertArtifact(artifact);
  if (block.type !== 'image' || data.length > MAX_MODEL_IMAGE_BYTES)
    return {
      ...note(`${described}: kept as the artifact ${artifact.id}, which a person can open`),
      _meta: { [ARTIFACT_KEY]: artifact.id },
    };
  return imageReference(artifact);
}

/** Returns the block that shows an artifact to the model; undefined unless it is an image that a model accepts by its size. */
export function shownImage(artifact: ListedArtifact): ContentBlock | undefined {
  return artifact.mediaType.startsWith('image/') && artifact.bytes <= MAX_MODEL_IMAGE_BYTES
    ? imageReference(artifact)
    : undefined;
}

/** Returns a block without data, which `withImages` fills. */
function imageReference({ id, mediaType: mimeType }: ListedArtifact): ContentBlock {
  return { type: 'image', data: '', mimeType, _meta: { [ARTIFACT_KEY]: id } };
}

/** Returns the messages with the data of their artifact images, as far as one request has room. */
export async function withImages(
  read: Pick<StoreReader, 'artifact'>,
  messages: readonly Message[],
): Promise<readonly Message[]> {
  let room = MAX_MODEL_IMAGES_BYTES;
  const fill = async (block: ContentBlock): Promise<ContentBlock> => {
    const id = isReference(block) ? ownArtifact(block) : undefined;
    if (id === undefined) return block;
    const artifact = room > 0 ? await read.artifact(id) : undefined;
    if (artifact?.data === undefined || artifact.bytes > room)
      return note(`an image: kept as the artifact ${id}, and not shown again`);
    room -= artifact.bytes;
    return { type: 'image', data: artifact.data.toString('base64'), mimeType: artifact.mediaType };
  };
  const filled: Message[] = [];
  for (const message of messages.toReversed()) {
    const content: Block[] = [];
    for (const block of message.content) {
      if (block.type === 'tool_result' && block.content.some(isReference))
        content.push({ ...block, content: await Promise.all(block.content.map(fill)) });
      else content.push(isReference(block) ? await fill(block) : block);
    }
    filled.unshift(
      message.content.every((block, at) => block === content[at])
        ? message
        : { ...message, content },
    );
  }
  return filled;
}

function isReference(block: Block): block is ImageContent {
  return block.type === 'image' && block.data === '' && ownArtifact(block) !== undefined;
}

/** Returns the binary data of an image, a sound or an embedded resource. */
export function binaryOf(block: ContentBlock): Binary | undefined {
  if (block.type === 'image')
    return { what: 'an image', mediaType: mediaType(block.mimeType), data: block.data };
  if (block.type === 'audio')
    return { what: 'a sound', mediaType: mediaType(block.mimeType), data: block.data };
  if (block.type !== 'resource' || !('blob' in block.resource)) return undefined;
  const { uri, mimeType, blob } = block.resource;
  return { what: `the resource ${uri.slice(0, 500)}`, mediaType: mediaType(mimeType), data: blob };
}

/** Returns the media type that a server gave, or that of any bytes if it is none. */
function mediaType(text = ''): string {
  return MEDIA_TYPE.test(text) ? text : 'application/octet-stream';
}

function note(text: string): ContentBlock {
  return { type: 'text', text: `[${text}]` };
}
