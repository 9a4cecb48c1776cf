import { describe, expect, test } from 'vitest';
import { queuedRun } from '../testing/queued-run.ts';
import type { AuditEntry } from './audit.ts';
import type { RememberedApproval } from './approval.ts';
import { openForTest, type OpenStore } from '../testing/open-for-test.ts';

/** Describes the behavior of every store adapter for approvals and audit. */
export function approvalContract(name: string, open: OpenStore): void {
  describe(`store contract, approvals and audit: ${name}`, () => {
    const openStore = openForTest(open);

    test('remembered approvals are valid for their run, or for its thread if so given, until they are deleted', async () => {
      const store = await openStore();
      const approval = (id: string, runId: string, threadId?: string): RememberedApproval => ({
        id,
        runId,
        threadId,
        itemId: 'i',
        server: 's',
        tool: 't',
        serverDigest: 'a',
        toolDigest: 'b',
        createdAt: 1,
      });
      await store.write({}, async (sql) => {
        for (const id of ['r1', 'r2']) await sql.insertRun(queuedRun(id));
        for (const each of [approval('p1', 'r1'), approval('p2', 'r2'), approval('p3', 'r2', 'th')])
          await sql.rememberApproval(each);
      });
      const ids = async (filter: {
        readonly runId: string;
        readonly threadId?: string;
      }): Promise<readonly string[]> =>
        (await store.read.rememberedApprovals(filter)).map(({ id }) => id);
      expect(await ids({ runId: 'r1' })).toEqual(['p1']);
      expect(await ids({ runId: 'r1', threadId: 'th' })).toEqual(['p1', 'p3']);
      expect(await store.write({}, (sql) => sql.forgetApproval('p3'))).toBe(true);
      expect(await store.write({}, (sql) => sql.forgetApproval('p3'))).toBe(false);
      expect(await store.read.rememberedApprovals()).toEqual([
        approval('p1', 'r1'),
        approval('p2', 'r2'),
      ]);
      const page = await store.read.approvals({ limit: 1 });
      expect(page.data).toEqual([approval('p1', 'r1')]);
      const cursor = page.nextCursor ?? '';
      expect(await store.read.approvals({ limit: 1, cursor })).toEqual({
        data: [approval('p2', 'r2')],
        nextCursor: undefined,
      });
      expect((await store.read.approvals({ limit: 9, runId: 'r2' })).data).toHaveLength(1);
    });

    test('audit entries are numbered in commit order, and a rolled-back entry leaves no gap', async () => {
      const store = await openStore();
      const entry: AuditEntry = {
        who: 'policy',
        runId: 'r1',
        callId: 'c',
        itemId: undefined,
        kind: 'tool_call',
        server: 's',
        tool: 't',
        argumentsSha256: 'x',
        decision: 'asked',
        outcome: undefined,
      };
      await store.write({}, (sql) => sql.appendAudit([entry, { ...entry, runId: 'r2' }]));
      const failing = store.write({}, async (sql) => {
        await sql.appendAudit([entry]);
        throw new Error('changed my mind');
      });
      await expect(failing).rejects.toThrow('changed my mind');
      await store.write({}, (sql) => sql.appendAudit([]));
      const entries = await store.read.audit({ after: 0, limit: 10 });
      expect(entries).toEqual([
        { ...entry, seq: 1, at: expect.any(Number) as number },
        { ...entry, runId: 'r2', seq: 2, at: expect.any(Number) as number },
      ]);
      expect(await store.read.audit({ runId: 'r2', after: 0, limit: 10 })).toEqual([entries[1]]);
      expect(await store.read.audit({ after: 1, limit: 1 })).toEqual([entries[1]]);
    });
  });
}
