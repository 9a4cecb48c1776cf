import { describe, expect, inject, test } from 'vitest';
import { accessibilityProblems } from '../../peers/src/axe.ts';
import { callTool, clientOf, openItemOf } from './support/call-tool.ts';
import { openPage } from './support/open-page.ts';

/** A request of a feature of the server while it is not connected. */
const RESTARTING = /status of 503/;

describe.skipIf(inject('browser') === undefined)(
  'a server that ends in the middle of a call',
  () => {
    test.each([
      { button: 'Mark as done', action: 'mark_done', status: 'completed' },
      { button: 'Mark as failed', action: 'fail', status: 'failed' },
    ])('leaves an unknown outcome, which a person decides: $button', async (decision) => {
      const runId = await callTool('lost__vanish');
      const item = await openItemOf(runId);
      const page = await openPage(`/inbox/${item.id}`);
      await page.getByText('Did vanish of lost happen?').first().waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
      await page.getByRole('textbox', { name: 'Note to the model' }).fill('I looked');
      await page.getByRole('button', { name: decision.button }).click();
      await page.getByText('Note: I looked').waitFor();
      expect((await clientOf().runs.wait(runId)).status).toBe(decision.status);
      expect((await clientOf().inbox.get(item.id)).response).toMatchObject({
        action: decision.action,
        note: 'I looked',
      });
    });

    test('has a log that says so', async () => {
      const runId = await callTool('lost__vanish');
      const item = await openItemOf(runId);
      await clientOf().inbox.respond({ id: item.id, kind: 'outcome_unknown' }, { action: 'fail' });
      const page = await openPage('/servers/lost?tab=log', { theme: 'dark', expected: RESTARTING });
      const log = page.getByRole('list', { name: 'Log, newest first' });
      await log
        .getByText(/exited with code 1/)
        .first()
        .waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
    });

    test('is drained and reconnected', async () => {
      const page = await openPage('/servers/lost?tab=connection', { expected: RESTARTING });
      await page.getByRole('button', { name: 'Drain' }).click();
      const dialog = page.getByRole('dialog', { name: 'Drain the server?' });
      expect(await accessibilityProblems(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'Now' }).click();
      await page.getByText('Drained', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Reconnect' }).click();
      await page.getByRole('button', { name: 'After the calls in flight' }).click();
      await page.getByText('Ready', { exact: true }).waitFor();
    });
  },
);
