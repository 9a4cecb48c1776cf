import { describe, expect, test } from 'vitest';
import { openForTest, type OpenStore } from '../testing/open-for-test.ts';
import { queuedRun } from '../testing/queued-run.ts';
import { textArtifact } from '../testing/text-artifact.ts';
import type { Artifact } from './artifact.ts';
import { InvalidCursorError } from './errors.ts';

const NO_THREAD = { threadId: undefined, threadPosition: undefined };

/** Describes the behavior of every store adapter for artifacts. */
export function artifactContract(name: string, open: OpenStore): void {
  describe(`store contract, artifacts: ${name}`, () => {
    const openStore = openForTest(open);

    test('the artifacts of a run are listed in pages without their content, also those that it shares', async () => {
      const store = await openStore();
      const data = Buffer.from('image');
      await store.write({}, async (sql) => {
        for (const id of ['a', 'fork', 'other']) await sql.insertRun(queuedRun(id));
        await sql.insertArtifact({ ...textArtifact('2'), createdAt: 2 });
        await sql.insertArtifact({ ...textArtifact('1'), mediaType: 'image/png', text: '', data });
        await sql.shareArtifacts(
          { id: 'a', threadId: undefined, threadPosition: undefined },
          'fork',
        );
        await sql.insertArtifact({ ...textArtifact('3', 'fork'), createdAt: 2 });
        await sql.insertArtifact(textArtifact('elsewhere', 'other'));
      });
      const { text: _text, data: _data, ...listed } = textArtifact('1');
      const first = await store.read.artifacts('fork', { limit: 2 });
      expect(first.data).toEqual([
        { ...listed, mediaType: 'image/png' },
        { ...listed, id: '2', createdAt: 2 },
      ]);
      const last = await store.read.artifacts('fork', { limit: 2, cursor: first.nextCursor ?? '' });
      expect(last).toEqual({
        data: [{ ...listed, id: '3', runId: 'fork', createdAt: 2 }],
        nextCursor: undefined,
      });
      expect((await store.read.artifacts('a', { limit: 9 })).data.map(({ id }) => id)).toEqual([
        '1',
        '2',
      ]);
      expect((await store.read.artifacts('none', { limit: 9 })).data).toEqual([]);
      await expect(
        store.read.artifacts('a', { limit: 9, cursor: 'forged' }),
      ).rejects.toBeInstanceOf(InvalidCursorError);
    });

    test('uploads that belong to no run are listed in pages, newest first, without their content', async () => {
      const store = await openStore();
      const upload = (id: string, createdAt: number): Artifact => ({
        ...textArtifact(id, ''),
        callId: '',
        createdAt,
      });
      await store.write({}, async (sql) => {
        await sql.insertRun(queuedRun('a'));
        await sql.insertArtifact(textArtifact('result'));
        for (const [index, id] of ['1', '2', '3', 'used'].entries())
          await sql.insertArtifact(upload(id, index));
        await sql.attachArtifact('used', 'a');
      });
      const { text: _text, data: _data, ...listed } = upload('3', 2);
      const first = await store.read.unusedUploads({ limit: 2 });
      expect(first.data).toEqual([listed, { ...listed, id: '2', createdAt: 1 }]);
      const cursor = first.nextCursor ?? '';
      expect(await store.read.unusedUploads({ limit: 2, cursor })).toEqual({
        data: [{ ...listed, id: '1', createdAt: 0 }],
        nextCursor: undefined,
      });
    });

    test('texts and bytes are read back as they were written', async () => {
      const store = await openStore();
      const text = textArtifact('text');
      const image = {
        ...textArtifact('image'),
        mediaType: 'image/png',
        text: '',
        data: Buffer.from([0, 255, 128]),
        bytes: 3,
        originalBytes: 3,
      };
      await store.write({ run: 'a' }, async (sql) => {
        await sql.insertRun(queuedRun('a'));
        for (const artifact of [text, image]) await sql.insertArtifact(artifact);
      });
      expect(await store.read.artifact('text')).toEqual(text);
      expect(await store.read.artifact('image')).toEqual(image);
      expect(await store.read.artifact('none')).toBeUndefined();
    });

    test('an artifact belongs to its run, to the runs of the same thread, and to runs that share it', async () => {
      const store = await openStore();
      await store.write({ thread: 't1' }, async (sql) => {
        await sql.insertThread({
          id: 't1',
          title: undefined,
          metadata: {},
          createdAt: 1,
          updatedAt: 1,
        });
        for (const [threadPosition, id] of ['first', 'second', 'third'].entries())
          await sql.insertRun(queuedRun(id, { threadId: 't1', threadPosition }));
        for (const id of ['fork', 'other']) await sql.insertRun(queuedRun(id));
        for (const id of ['first', 'second', 'third'])
          await sql.insertArtifact(textArtifact(`of-${id}`, id));
        await sql.shareArtifacts({ id: 'second', threadId: 't1', threadPosition: 1 }, 'fork');
      });
      const { read } = store;
      const owned = async (id: string, threadId?: string): Promise<readonly string[]> => {
        const ids = ['of-first', 'of-second', 'of-third'];
        const owns = await Promise.all(
          ids.map((artifact) => read.ownsArtifact({ id, threadId }, artifact)),
        );
        return ids.filter((_, index) => owns[index]);
      };
      expect(await owned('first', 't1')).toEqual(['of-first', 'of-second', 'of-third']);
      expect(await owned('fork')).toEqual(['of-first', 'of-second']);
      expect(await owned('other')).toEqual([]);
      await store.write({ run: 'other' }, (sql) =>
        sql.shareArtifacts({ id: 'fork', ...NO_THREAD }, 'other'),
      );
      expect(await owned('other')).toEqual(['of-first', 'of-second']);
    });

    test('an upload belongs to the runs that it is attached to, and is deleted later if there are none', async () => {
      const store = await openStore();
      const upload = (id: string, createdAt = 1): Artifact => ({
        ...textArtifact(id, ''),
        callId: '',
        createdAt,
      });
      const attached = await store.write({}, async (sql) => {
        for (const id of ['a', 'b']) await sql.insertRun(queuedRun(id));
        for (const each of [upload('given'), upload('late', 3), upload('unused')])
          await sql.insertArtifact(each);
        await sql.insertArtifact(textArtifact('result'));
        return [
          await sql.attachArtifact('given', 'a'),
          await sql.attachArtifact('given', 'a'),
          await sql.attachArtifact('given', 'b'),
          await sql.attachArtifact('none', 'a'),
        ];
      });
      const { text: _text, data: _data, ...listed } = upload('given');
      expect(attached).toEqual([listed, listed, listed, undefined]);
      expect(await store.read.ownsArtifact({ id: 'a', threadId: undefined }, 'given')).toBe(true);
      expect((await store.read.artifacts('b', { limit: 9 })).data).toEqual([listed]);
      expect(await store.write({}, (sql) => sql.deleteUploads(2))).toBe(false);
      const kept = ['given', 'late', 'unused', 'result'].map((id) => store.read.artifact(id));
      expect((await Promise.all(kept)).map((artifact) => artifact?.id)).toEqual([
        'given',
        'late',
        undefined,
        'result',
      ]);
    });

    test('uploads are deleted in parts', async () => {
      const store = await openStore();
      await store.write({}, async (sql) => {
        for (let id = 0; id < 15; id += 1)
          await sql.insertArtifact({ ...textArtifact(`${id}`, ''), callId: '' });
      });
      expect(await store.write({}, (sql) => sql.deleteUploads(2))).toBe(true);
      expect(await store.write({}, (sql) => sql.deleteUploads(2))).toBe(false);
      expect(await store.read.artifact('14')).toBeUndefined();
    });
  });
}
