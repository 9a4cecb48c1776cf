import { expect, test } from 'vitest';
import { askPerson } from './ask-person.ts';
import { testIo } from './testing/test-io.ts';

const signal = new AbortController().signal;

test.each([
  ['tool_approval', ['?', 'x', 'y'], { action: 'approve' }],
  ['tool_approval', ['a', 'n'], { action: 'deny' }],
  ['sampling_approval', ['maybe', 'yes'], { action: 'approve' }],
  ['sampling_reply', ['1', ''], { action: 'deny' }],
  ['elicitation_url', ['ok', 'Y'], { action: 'accept' }],
  ['outcome_unknown', ['', 'repeat', 'retry'], { action: 'retry' }],
  ['server_login', ['y', 'decline'], { action: 'decline' }],
] as const)('%s: of the inputs %j only the last is accepted', async (kind, typed, answer) => {
  const io = testIo({ typed });
  expect(
    await askPerson(
      io,
      { id: 'i', kind, request: { server: 's', name: 's__t', url: 'https://example.org' } },
      signal,
    ),
  ).toEqual(answer);
  expect(io.asked).toHaveLength(typed.length);
  expect(io.written.err.match(/is not an answer: type /g)).toHaveLength(typed.length - 1);
});
