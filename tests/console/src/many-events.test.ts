import { describe, expect, inject, test } from 'vitest';
import type { Page } from '../../peers/src/chromium.ts';
import { openPage } from './support/open-page.ts';

/** Turns of the run; each has eight events. */
const TURNS = 1250;
const EVENTS = TURNS * 8;

/** The event stream of a run of ten thousand events that completed. */
function manyEvents(): string {
  const events: string[] = [];
  const add = (type: string, data: object): void => {
    const seq = events.length + 1;
    const at = new Date(Date.UTC(2026, 0, 1) + seq * 100).toISOString();
    const event = { run_id: 'many', seq, type, version: 1, at, data };
    events.push(`id: ${seq}\nevent: ${type}\ndata: ${JSON.stringify(event)}\n\n`);
  };
  const result = { text: 'found 3 of 40', truncated: false, is_error: false, other_content: [] };
  for (let turn = 1; turn <= TURNS; turn += 1) {
    const message = { turn, message_id: `m${turn}` };
    const call = { call_id: `c${turn}`, attempt: 1 };
    const usage = {
      input: 900,
      output: 40,
      cache_read: 0,
      cache_write: 0,
      reasoning: 0,
      source: 'reported',
    };
    add('turn.started', { ...message, model: 'model-a', attempt: 1 });
    add('message.started', { ...message, role: 'assistant' });
    add('message.completed', {
      ...message,
      text: `Step ${turn} of the search.\n`.repeat(turn % 4),
      tool_uses: [],
      is_partial: false,
    });
    add('usage.updated', { source: 'agent', model: 'model-a', usage, total: usage });
    add('turn.completed', { ...message, stop_reason: 'tool_use' });
    add('tool_call.planned', {
      ...call,
      ...message,
      name: 's__search',
      server: 's',
      tool: 'search',
      arguments: { query: `part ${turn}` },
      state: 'planned',
    });
    add('tool_call.dispatched', call);
    if (turn < TURNS) add('tool_call.completed', { ...call, result });
    else add('run.completed', { answer: 'The end of the search.', scripted: false });
  }
  return events.join('');
}

/** Opens the run of ten thousand events, which a route of the page serves in place of the service. */
async function openManyEvents(path: string): Promise<Page> {
  const run = {
    id: 'many',
    kind: 'agent',
    status: 'completed',
    priority: 'normal',
    prompt: 'Search everything',
    scripted: false,
    limits: {},
    metadata: {},
    inbox: [],
    last_seq: EVENTS,
    turns: TURNS,
    tool_calls: TURNS,
    created_at: '2026-01-01T00:00:00Z',
    finished_at: '2026-01-01T00:17:00Z',
  };
  const snapshot = `event: run.snapshot\ndata: ${JSON.stringify({ type: 'run.snapshot', run_id: 'many', run })}\n\n`;
  const page = await openPage('/runs');
  await page.route('**/v1/runs/many', (route) => route.fulfill({ json: run }));
  await page.route('**/v1/runs/many/events*', (route) =>
    route.fulfill({ contentType: 'text/event-stream', body: snapshot + manyEvents() }),
  );
  await page.goto(path);
  await page.getByRole('tab', { name: `Events ${EVENTS}` }).waitFor();
  return page;
}

describe.skipIf(inject('browser') === undefined)('a run of ten thousand events', () => {
  test('renders only the rows in view, from the first to the last', async () => {
    const page = await openManyEvents('/runs/many');
    const rows = page.getByRole('list', { name: 'Timeline' }).getByRole('listitem');
    expect(await rows.count()).toBeLessThan(80);
    await page.getByRole('heading', { name: 'Turn 1', exact: true }).waitFor();
    for (const share of [0.25, 0.5, 0.75, 1]) {
      await page.evaluate(
        (part) => scrollTo(0, document.documentElement.scrollHeight * part),
        share,
      );
      await expect.poll(() => rows.count()).toBeGreaterThan(5);
      expect(await rows.count()).toBeLessThan(80);
    }
    await page.keyboard.press('End');
    await expect.poll(() => page.getByText('The end of the search.').isVisible()).toBe(true);
  });

  test('is opened at the event that its address names, in the timeline and in the log', async () => {
    const page = await openManyEvents('/runs/many#event-5006');
    const target = page.locator('.row.target');
    await target.getByText('part 626').waitFor();
    await expect
      .poll(() =>
        target.evaluate((row) => {
          const { top, bottom } = row.getBoundingClientRect();
          return top >= 0 && bottom <= innerHeight;
        }),
      )
      .toBe(true);
    await page.getByRole('tab', { name: /^Events/ }).click();
    await page.locator('.event.target').getByText('tool_call.planned').waitFor();
  });
});
