import { createHash } from 'node:crypto';
import type { RedirectOutcome } from '../ports/server-logins.ts';

const STYLE =
  ':root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;margin:15vh auto;max-width:32rem;padding:0 1rem}h1{font-size:1.4rem}';
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/**
 * Headers of the page: it loads nothing, runs nothing, is not framed, not cached, and sends its
 * address, which has the code, nowhere.
 */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox`,
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'cache-control': 'no-store',
} as const;

/** Returns the page about the outcome of a login. It contains no text of the authorization server. */
export function loginPage(outcome: RedirectOutcome): {
  readonly status: 200 | 400;
  readonly html: string;
} {
  const { status, title, text } = contentOf(outcome);
  return {
    status,
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${STYLE}</style></head><body><main><h1>${title}</h1><p>${text}</p></main></body></html>\n`,
  };
}

interface Content {
  readonly status: 200 | 400;
  readonly title: string;
  readonly text: string;
}

function contentOf(outcome: RedirectOutcome): Content {
  if (outcome.type === 'unknown')
    return {
      status: 400,
      title: 'Unknown login',
      text: 'This login was finished before, has expired, or was not begun here. Begin a new login.',
    };
  const server = `<strong>${escaped(outcome.server)}</strong>`;
  switch (outcome.type) {
    case 'logged-in':
      return {
        status: 200,
        title: 'You are logged in',
        text: `Signalbox can now use the server ${server}. Runs that waited for it continue. You can close this page.`,
      };
    case 'pending':
      return {
        status: 200,
        title: 'The login is being finished',
        text: `Signalbox could not finish the login at ${server} yet, and tries again. You can close this page.`,
      };
    case 'refused':
      return {
        status: 200,
        title: 'You are not logged in',
        text: `The login at ${server} was refused. Begin a new login to try again.`,
      };
    case 'failed':
      return {
        status: 200,
        title: 'The login failed',
        text: `The login at ${server} could not be finished; the log of the service says why. Begin a new login to try again.`,
      };
  }
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/gu, (character) => `&#${character.charCodeAt(0)};`);
}
