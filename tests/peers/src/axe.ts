import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Rules of WCAG 2.2 on the levels A and AA, and the best practices. @see https://github.com/dequelabs/axe-core/blob/develop/doc/API.md#axecore-tags */
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

interface AxeWindow {
  readonly axe: {
    run(options: object): Promise<{
      readonly violations: readonly {
        readonly id: string;
        readonly help: string;
        readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
      }[];
    }>;
  };
}

/** Returns the accessibility problems that axe finds in a page, each with the elements that have it. */
export async function accessibilityProblems(page: Page): Promise<readonly string[]> {
  // Evaluated by the debugger, which no content security policy restricts.
  await page.evaluate(SOURCE);
  return page.evaluate(async (tags) => {
    const { axe } = globalThis as unknown as AxeWindow;
    const { violations } = await axe.run({ runOnly: tags, resultTypes: ['violations'] });
    return violations.map(({ id, help, nodes }) =>
      [
        `${id}: ${help}`,
        ...nodes.map(({ html, failureSummary }) => `${html}\n${failureSummary ?? ''}`),
      ].join('\n'),
    );
  }, TAGS);
}
