import type { Page } from '../../../peers/src/chromium.ts';
import { callTool, clientOf, openItemOf } from './call-tool.ts';
import { openPage, type PageOptions } from './open-page.ts';

/** An item that waits for a person, on its page. */
export interface Asked {
  readonly page: Page;
  readonly runId: string;
  readonly itemId: string;
}

/** Calls a tool that asks a person, and opens the item. */
export async function ask(
  tool: string,
  args: object = {},
  options: PageOptions = {},
): Promise<Asked> {
  const runId = await callTool(tool, args);
  const { id: itemId } = await openItemOf(runId);
  const page = await openPage(`/inbox/${itemId}`, options);
  await page.getByRole('article').getByText('Waits for you').waitFor();
  return { page, runId, itemId };
}

/** Returns the answer that was given to an item. */
export const answerOf = async ({ itemId }: Asked) => (await clientOf().inbox.get(itemId)).response;
