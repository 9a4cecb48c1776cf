import type { ContentBlock, EmbeddedResource, ResourceLink } from '@signalbox/mcp-core';
import type { Block } from '../ports/llm-provider.ts';
import type { ModelFeatures } from '../ports/model-card.ts';
import { type ImageType, imageTypeOf } from './image-type.ts';

/** Media types that a model accepts. */
export type Media = Pick<ModelFeatures, 'images' | 'audio' | 'pdf'>;

/**
 * A part of a message for a model. `lost`: content that the text replaces because it could not be
 * sent.
 */
export type Part =
  | { readonly type: 'text'; readonly text: string; readonly lost?: string }
  | { readonly type: 'image'; readonly mimeType: ImageType; readonly data: string }
  | { readonly type: 'audio'; readonly format: 'wav' | 'mp3'; readonly data: string }
  | { readonly type: 'pdf'; readonly filename: string; readonly data: string };

/** Returns the parts of content blocks without blank text, which providers reject. */
export function partsOf(content: readonly ContentBlock[], takes: Media): readonly Part[] {
  return content.flatMap((block): Part[] => {
    switch (block.type) {
      case 'text':
        return block.text.trim() === '' ? [] : [{ type: 'text', text: block.text }];
      case 'image':
        return [imagePart(block.data, block.mimeType, takes)];
      case 'audio':
        return [audioPart(block.data, block.mimeType, takes)];
      case 'resource':
        return [resourcePart(block.resource, takes)];
      case 'resource_link':
        return [{ type: 'text', text: linkText(block) }];
    }
  });
}

/**
 * Returns the parts of a tool result. Structured content replaces missing text, and an empty result
 * is stated.
 */
export function resultParts(
  result: Extract<Block, { type: 'tool_result' }>,
  takes: Media,
): readonly Part[] {
  const parts = partsOf(result.content, takes);
  if (parts.some(({ type }) => type === 'text')) return parts;
  if (result.structuredContent !== undefined)
    return [
      ...parts,
      { type: 'text', text: JSON.stringify(result.structuredContent, withoutBase64) },
    ];
  return parts.length === 0 ? [{ type: 'text', text: '(no output)' }] : parts;
}

function imagePart(data: string, declared: string, takes: Media): Part {
  const mimeType = takes.images ? imageTypeOf(data) : undefined;
  return mimeType === undefined ? placeholder(declared, data) : { type: 'image', mimeType, data };
}

function audioPart(data: string, mimeType: string, takes: Media): Part {
  const [, format] = /^audio\/(?:x-|vnd\.)?(wav|wave|mp3|mpeg)\b/.exec(mimeType) ?? [];
  return takes.audio && format !== undefined
    ? { type: 'audio', format: format.startsWith('wav') ? 'wav' : 'mp3', data }
    : placeholder(mimeType, data);
}

function resourcePart(resource: EmbeddedResource['resource'], takes: Media): Part {
  if ('text' in resource)
    return {
      type: 'text',
      text: fenced(
        resource.text,
        `${resource.uri}${resource.mimeType === undefined ? '' : ` (${resource.mimeType})`}`,
      ),
    };
  if (takes.pdf && resource.blob.startsWith('JVBER'))
    return { type: 'pdf', filename: fileNameOf(resource.uri), data: resource.blob };
  return imagePart(resource.blob, resource.mimeType ?? 'application/octet-stream', takes);
}

function fenced(text: string, title: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `Resource ${title}:\n${fence}\n${text}\n${fence}`;
}

function fileNameOf(uri: string): string {
  return /[^/?#]+(?=[?#]|$)/.exec(uri)?.[0] ?? 'document.pdf';
}

function linkText({ name, uri, mimeType, description }: ResourceLink): string {
  return `Resource link: ${name} <${uri}>${mimeType === undefined ? '' : ` (${mimeType})`}${description === undefined ? '' : `: ${description}`}`;
}

function placeholder(mimeType: string, base64: string): Part {
  const lost = `${mimeType}, ${sizeText(Math.floor((base64.length * 3) / 4))}`;
  return { type: 'text', text: `[${lost}: left out, the model cannot read it]`, lost };
}

function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  return bytes < 1024 * 1024
    ? `${(bytes / 1024).toFixed(1)} KiB`
    : `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}

function withoutBase64(_key: string, value: unknown): unknown {
  if (typeof value !== 'string' || value.length < 2048 || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(value))
    return value;
  return `[${sizeText(Math.floor((value.length * 3) / 4))} of base64 left out]`;
}
