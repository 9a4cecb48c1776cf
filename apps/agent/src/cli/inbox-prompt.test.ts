import { expect, test } from 'vitest';
import { EngineError } from '../ports/run-engine.ts';
import type { InboxItem, InboxKind } from '../ports/store/inbox.ts';
import type { RunEvent } from '../ports/store/run-event.ts';
import { InboxPrompt } from './inbox-prompt.ts';
import { testIo } from './testing/test-io.ts';

interface Question {
  readonly text: string;
  answer(text: string | undefined): void;
}

/** A prompt whose questions a test answers. */
function start(
  refuse: (response: { readonly [key: string]: unknown }) => string | undefined = () => undefined,
) {
  const printed: string[] = [];
  const errors: string[] = [];
  const responses: [string, { readonly [key: string]: unknown }][] = [];
  const questions: Question[] = [];
  const waiting: ((question: Question) => void)[] = [];
  const io = {
    ...testIo({
      isTerminal: true,
      ask: (text, signal) =>
        new Promise((resolve) => {
          const question = { text, answer: resolve };
          signal.addEventListener('abort', () => resolve(undefined));
          const receive = waiting.shift();
          if (receive === undefined) questions.push(question);
          else receive(question);
        }),
    }),
    err: (text: string) => void errors.push(text),
  };
  const engine = {
    respond: (id: string, response: { readonly [key: string]: unknown }): Promise<InboxItem> => {
      responses.push([id, response]);
      const reason = refuse(response);
      // The prompt does not look at the item.
      return reason === undefined
        ? Promise.resolve({} as InboxItem)
        : Promise.reject(new EngineError('invalid_response', reason));
    },
  };
  const prompt = new InboxPrompt(io, {
    engine,
    print: (line) => printed.push(line),
    signal: new AbortController().signal,
  });
  let seq = 0;
  const emit = (type: string, id: string, data: object = {}): void => {
    seq += 1;
    const event: RunEvent = {
      runId: 'r',
      seq,
      type,
      version: 1,
      at: 0,
      data: { inbox_item_id: id, ...data },
    };
    prompt.onEvent(event);
  };
  return {
    printed,
    errors,
    responses,
    unasked: questions,
    opened: (id: string, kind: InboxKind, request: object = {}) =>
      emit('inbox.opened', id, {
        kind,
        request: { server: 'files', name: 'files__write', ...request },
      }),
    closed: (id: string) => emit('inbox.void', id),
    next: (): Promise<Question> => {
      const question = questions.shift();
      return question === undefined
        ? new Promise((resolve) => waiting.push(resolve))
        : Promise.resolve(question);
    },
  };
}

test('two open items are prompted for one after the other, so that an answer never applies to both', async () => {
  const { opened, next, unasked, responses, printed } = start();
  opened('one', 'tool_approval', { arguments: { path: 'a' } });
  opened('two', 'tool_approval', { arguments: { path: 'b' } });
  const first = await next();
  expect(unasked).toEqual([]);
  expect(printed).toEqual(['? may files__write be called with {"path":"a"}']);
  first.answer('y');
  const second = await next();
  expect(responses).toEqual([['one', { action: 'approve' }]]);
  expect(printed[1]).toBe('? may files__write be called with {"path":"b"}');
  second.answer('');
  await expect.poll(() => responses[1]).toEqual(['two', { action: 'deny' }]);
});

test('the prompt shows the whole call to approve', async () => {
  const { opened, next, printed } = start();
  const path = `${'a'.repeat(5000)}/important`;
  opened('one', 'tool_approval', { arguments: { path } });
  (await next()).answer('n');
  expect(printed[0]).toContain(path);
});

test('the prompt of a closed item ends, and the next item is prompted for', async () => {
  const { opened, closed, next, responses } = start();
  opened('one', 'tool_approval');
  opened('two', 'sampling_approval', { messages: [{ role: 'user' }] });
  opened('three', 'tool_approval');
  await next();
  closed('two');
  closed('one');
  (await next()).answer('yes');
  await expect.poll(() => responses).toEqual([['three', { action: 'approve' }]]);
});

test('an invalid answer is prompted for again', async () => {
  const { opened, next, responses, errors } = start(({ action }) =>
    action === 'retry' ? undefined : 'action: must be one of retry, mark_done, fail',
  );
  opened('one', 'outcome_unknown', { arguments: {}, message: 'the server died' });
  (await next()).answer('fail');
  (await next()).answer(' retry ');
  await expect
    .poll(() => responses.map(([, response]) => response))
    .toEqual([{ action: 'fail' }, { action: 'retry' }]);
  expect(errors).toEqual([
    '  the answer was rejected: action: must be one of retry, mark_done, fail\n',
  ]);
});

test('a form is filled in field by field; optional fields may stay empty', async () => {
  const { opened, next, responses } = start();
  const properties = {
    name: { type: 'string', title: 'Your \u001b[2Jname' },
    size: {
      type: 'string',
      oneOf: [
        { const: 'S', title: 'small' },
        { const: 'L', title: 'large' },
      ],
    },
    colours: { type: 'array', items: { enum: ['red', 'blue'] } },
    age: { type: 'integer' },
    news: { type: 'boolean' },
  };
  opened('one', 'elicitation_form', {
    message: 'Who are you?',
    requested_schema: { type: 'object', properties, required: ['name'] },
  });
  const labels: string[] = [];
  for (const answer of ['Ada', 'S', 'red, blue', '', 'y']) {
    const question = await next();
    labels.push(question.text);
    question.answer(answer);
  }
  await expect
    .poll(() => responses)
    .toEqual([
      [
        'one',
        {
          action: 'accept',
          content: { name: 'Ada', size: 'S', colours: ['red', 'blue'], news: true },
        },
      ],
    ]);
  expect(labels).toEqual([
    '  Your [2Jname (required): ',
    '  size [1-2] (optional): ',
    '  colours [red/blue] (optional): ',
    '  age (optional): ',
    '  news [y/n] (optional): ',
  ]);
});

test.each([
  ['tool_approval', { action: 'deny' }],
  ['elicitation_form', { action: 'cancel' }],
  ['elicitation_url', { action: 'decline' }],
] as const)('the end of the input does not accept %s', async (kind, response) => {
  const { opened, next, responses } = start();
  opened('one', kind, {
    message: 'm',
    url: 'https://example.org/',
    requested_schema: { properties: { name: { type: 'string' } } },
  });
  (await next()).answer(undefined);
  await expect.poll(() => responses).toEqual([['one', response]]);
});

test('an address to open is shown', async () => {
  const { opened, next, printed } = start();
  opened('one', 'elicitation_url', {
    message: 'Please log in',
    url: 'https://example.org/login?state=1',
  });
  (await next()).answer('y');
  expect(printed).toEqual(['? files asks: Please log in https://example.org/login?state=1']);
});
