import { describe, expect, test } from 'vitest';
import { openForTest, type OpenStore } from '../testing/open-for-test.ts';
import { queuedRun } from '../testing/queued-run.ts';
import { textArtifact } from '../testing/text-artifact.ts';
import { InvalidCursorError } from './errors.ts';

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
  });
}
