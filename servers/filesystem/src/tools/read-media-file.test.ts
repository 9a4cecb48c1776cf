import { execFileSync } from 'node:child_process';
import { truncate } from 'node:fs/promises';
import path from 'node:path';
import { createTemporaryFolders } from '@signalbox/file-sandbox/testing';
import { describe, expect, test } from 'vitest';
import { createToolCaller } from '../testing/call-tool.ts';

const png = Buffer.from('89504e470d0a1a0a0000000d', 'hex');

async function readMedia(name: string, bytes: Buffer, args: { readonly maxBytes?: number } = {}) {
  await using folders = await createTemporaryFolders({ root: { [name]: bytes } });
  const tools = await createToolCaller([folders.root]);
  const { structured } = await tools.call('read_media_file', { path: name, ...args });
  return { structured, root: folders.root };
}

describe('read_media_file', () => {
  test.each([
    ['a picture', 'a.png', png, { type: 'image', mimeType: 'image/png' }],
    ['a picture with another name', 'a.dat', png, { type: 'image', mimeType: 'image/png' }],
    [
      'a picture that is text',
      'a.svg',
      Buffer.from('<svg/>'),
      { type: 'image', mimeType: 'image/svg+xml' },
    ],
    ['a sound', 'a.mp3', Buffer.from('ID3x'), { type: 'audio', mimeType: 'audio/mpeg' }],
    ['a WAVE', 'a', Buffer.from('RIFF____WAVEfmt '), { type: 'audio', mimeType: 'audio/wav' }],
  ])('returns %s as such', async (_what, name, bytes, expected) => {
    const { structured } = await readMedia(name, bytes);
    expect(structured).toMatchObject({
      content: [{ ...expected, data: bytes.toString('base64') }],
      size: bytes.length,
      truncated: false,
    });
  });

  test.each(['a.png', 'a.svg', 'a.mp3', 'a.bmp'])(
    'does not believe the name %s of a file that is something else',
    async (name) => {
      const { structured } = await readMedia(name, Buffer.from('plain text, no medium'));
      expect(structured).toMatchObject({
        content: [{ type: 'resource', resource: { mimeType: 'application/octet-stream' } }],
      });
    },
  );

  test('returns anything else as an embedded resource', async () => {
    const bytes = Buffer.from([0, 1, 2, 255]);
    const { structured, root } = await readMedia('a.zip', bytes);
    expect(structured.content).toEqual([
      {
        type: 'resource',
        resource: {
          uri: `file://${root}/a.zip`,
          mimeType: 'application/zip',
          blob: bytes.toString('base64'),
        },
      },
    ]);
    expect((await readMedia('a', bytes)).structured.content).toMatchObject([
      { resource: { mimeType: 'application/octet-stream' } },
    ]);
  });

  test('returns a link for a file over the limit of the call or of a result', async () => {
    const { structured, root } = await readMedia('a.png', png, { maxBytes: 11 });
    expect(structured).toMatchObject({
      content: [
        { type: 'resource_link', uri: `file://${root}/a.png`, mimeType: 'image/png', size: 12 },
      ],
      size: 12,
      truncated: true,
    });
    expect((await readMedia('a.png', png, { maxBytes: 12 })).structured).toMatchObject({
      truncated: false,
    });
    await using folders = await createTemporaryFolders({ root: { 'huge.png': png } });
    await truncate(path.join(folders.root, 'huge.png'), 600 * 1024 * 1024);
    const tools = await createToolCaller([folders.root]);
    expect(
      (await tools.call('read_media_file', { path: 'huge.png', maxBytes: 1e9 })).structured,
    ).toMatchObject({ size: 600 * 1024 * 1024, truncated: true });
  });

  test('the largest file that is returned stays within the budget of a result', async () => {
    const maxResultBytes = 64 * 1024;
    const largest = Math.floor(((maxResultBytes - 4096) / 8) * 3);
    await using folders = await createTemporaryFolders({
      root: { a: Buffer.alloc(largest, 255), b: Buffer.alloc(largest + 1, 255) },
    });
    const tools = await createToolCaller([folders.root], { limits: { maxResultBytes } });
    const { structured } = await tools.call('read_media_file', { path: 'a' });
    expect(structured).toMatchObject({ truncated: false });
    expect(2 * JSON.stringify(structured.content).length).toBeLessThan(maxResultBytes);
    expect((await tools.call('read_media_file', { path: 'b' })).structured).toMatchObject({
      truncated: true,
    });
  });

  test('refuses a directory and a FIFO', async () => {
    await using folders = await createTemporaryFolders();
    execFileSync('mkfifo', [path.join(folders.root, 'pipe')]);
    const tools = await createToolCaller([folders.root]);
    await expect(tools.call('read_media_file', { path: '.' })).rejects.toThrow('is a directory');
    await expect(tools.call('read_media_file', { path: 'pipe' })).rejects.toThrow('FIFO');
  });
});
