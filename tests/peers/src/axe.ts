import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Rules of WCAG 2.2 on the levels A and AA, and the best practices. @see https://github.com/dequelabs/axe-core/blob/develop/doc/API.md#axecore-tags */
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** The rules whose outcome depends on colors. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block'];

interface AxeWindow {
  readonly axe?: {
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
export function accessibilityProblems(page: Page): Promise<readonly string[]> {
  return problemsOf(page, TAGS);
}

/** Returns the problems of the colors alone: enough for another theme of a page whose `accessibilityProblems` are known. */
export function colorProblems(page: Page): Promise<readonly string[]> {
  return problemsOf(page, COLOR_RULES);
}

async function problemsOf(page: Page, rules: readonly string[]): Promise<readonly string[]> {
  // Evaluated by the debugger, which no content security policy restricts.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(SOURCE);
  return page.evaluate(async (runOnly) => {
    const { axe } = globalThis as unknown as AxeWindow;
    if (axe === undefined) throw new Error('the page has no axe');
    const { violations } = await axe.run({ runOnly, resultTypes: ['violations'] });
    return violations.map(({ id, help, nodes }) =>
      [
        `${id}: ${help}`,
        ...nodes.map(({ html, failureSummary }) => `${html}\n${failureSummary ?? ''}`),
      ].join('\n'),
    );
  }, rules);
}
