import { expect, test } from 'vitest';

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly meta?: { readonly note?: string };
    }[];
  }[];
}

const { notesOf } = (await import(new URL('../../test-notes.mjs', import.meta.url).href)) as {
  readonly notesOf: (report: Report) => readonly string[];
};

test('what a test notes in its meta is printed by npm test, with the name of the test', () => {
  const assertionResults = [
    { fullName: 'the client does it', meta: { note: 'scenarios that were run twice: ping' } },
    { fullName: 'quiet', meta: {} },
    { fullName: 'older' },
  ];
  expect(notesOf({ testResults: [{ assertionResults }] })).toEqual([
    'note: the client does it: scenarios that were run twice: ping',
  ]);
});
