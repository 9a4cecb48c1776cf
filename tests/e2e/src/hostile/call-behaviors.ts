import { setImmediate as breathe } from 'node:timers/promises';
import { form, longText, MB, nested, objects, textResult, type RawHost } from './wire.ts';

/** A `tools/call` that a hostile server received. */
export interface HostileCall {
  readonly id: unknown;
  readonly progressToken: string;
}

type CallBehavior = (host: RawHost, call: HostileCall) => void | Promise<void>;

const done = textResult('"done"');
const result =
  (text: string | (() => string)): CallBehavior =>
  (host, { id }) =>
    host.answer(id, typeof text === 'string' ? text : text());
const error =
  (errorText: () => string): CallBehavior =>
  (host, { id }) =>
    host.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":${errorText()}}\n`);

/** Sends the request `times` times and never answers the call, so that the requests stay open. */
const asks =
  (times: number, params: () => string, method = 'elicitation/create'): CallBehavior =>
  async (host) => {
    const text = params();
    for (let count = 0; count < times; count += 1) await host.ask(method, text);
  };

const progress =
  (times: number, message: string): CallBehavior =>
  async (host, { id, progressToken }) => {
    for (let count = 1; count <= times; count += 1)
      await host.notify(
        'notifications/progress',
        `{"progressToken":${progressToken},"progress":${count},"message":${message}}`,
      );
    await host.answer(id, done);
  };

const samplingParams = (text: string): string =>
  `{"messages":[{"role":"user","content":{"type":"text","text":${text}}}],"maxTokens":10}`;

export const callBehaviors: { readonly [name: string]: CallBehavior } = {
  'a result of 60 MB of objects': result(
    () => `{"content":[],"structuredContent":{"a":${objects(60 * MB)}}}`,
  ),
  'a result of 20 MB of objects': result(
    () => `{"content":[],"structuredContent":{"a":${objects(20 * MB)}}}`,
  ),
  'a result of 6 MB of objects': result(
    () => `{"content":[],"structuredContent":{"a":${objects(6 * MB)}}}`,
  ),
  'a result of 3 MB of objects': result(
    () => `{"content":[],"structuredContent":{"a":${objects(3 * MB)}}}`,
  ),
  'a text of 60 MB': result(() => textResult(longText(60 * MB))),
  'a text of 3 MB': result(() => textResult(longText(3 * MB))),
  'a result nested 1,000,000 levels': result(
    () => `{"content":[],"structuredContent":{"a":${nested(1_000_000)}}}`,
  ),
  'a result nested 5,000 levels': result(
    () => `{"content":[],"structuredContent":{"a":${nested(5000)}}}`,
  ),
  'an image of 40 MB': result(
    () => `{"content":[{"type":"image","mimeType":"image/png","data":${longText(40 * MB)}}]}`,
  ),
  'an image of 3 MB': result(
    () => `{"content":[{"type":"image","mimeType":"image/png","data":${longText(3 * MB)}}]}`,
  ),
  'an embedded blob of 3 MB': result(
    () => `{"content":[{"type":"resource","resource":{"uri":"x://y","blob":${longText(3 * MB)}}}]}`,
  ),
  '50,000 blocks of content': result(
    () => `{"content":[${'{"type":"text","text":"a"},'.repeat(50_000)}{"type":"text","text":"a"}]}`,
  ),
  '30,000 links': result(
    () =>
      `{"content":[${'{"type":"resource_link","uri":"x://y","name":"n"},'.repeat(30_000)}{"type":"text","text":"a"}]}`,
  ),
  'a result of the wrong shape': result('{"content":{"type":"text"},"isError":"maybe"}'),
  'a null result': result('null'),
  'a result twice': async (host, { id }) => {
    await host.answer(id, done);
    await host.answer(id, textResult('"another"'));
  },
  'an error of 40 MB': error(() => `{"code":-32000,"message":${longText(40 * MB)}}`),
  'an error of 3 MB': error(() => `{"code":-32000,"message":${longText(3 * MB)}}`),
  'an error with data of 3 MB of objects': error(
    () => `{"code":-32000,"message":"no","data":${objects(3 * MB)}}`,
  ),
  '200,000 steps of progress': progress(200_000, '"x"'),
  '20 steps of progress of 10 MB': progress(20, longText(10 * MB)),
  '100 steps of progress of 1 MB': progress(100, longText(MB)),
  'progress of odd types': async (host, { id, progressToken }) => {
    for (const value of ['"1"', 'null', '1e999', '-1', '{}'])
      await host.notify(
        'notifications/progress',
        `{"progressToken":${progressToken},"progress":${value},"total":[],"message":7}`,
      );
    await host.answer(id, done);
  },
  'a form of 2,000 fields': asks(1, () => form(2000)),
  'a form of 50,000 fields': asks(1, () => form(50_000)),
  'a form of 120,000 fields': asks(1, () => form(120_000)),
  'a form with 20,000 choices': asks(
    1,
    () =>
      `{"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string","enum":[${Array.from({ length: 20_000 }, (_, index) => `"c${index}"`).join(',')}]}}}}`,
  ),
  'a form with a slow pattern': asks(
    1,
    () =>
      '{"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string","pattern":"^(a+)+$","default":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"}}}}',
  ),
  'a form of odd types': asks(
    1,
    () => '{"message":7,"requestedSchema":{"type":"array","properties":[1,2]}}',
  ),
  '10,000 questions at once': asks(10_000, () => form(1)),
  '16 questions of 40 MB': asks(16, () => form(1, longText(40 * MB))),
  '16 questions of 3 MB': asks(16, () => form(1, longText(3 * MB))),
  '12 questions with 60 MB in their metadata': asks(12, () =>
    form(1, '"m"', `,"_meta":{"a":${objects(60 * MB)}}`),
  ),
  '5,000 questions that are cancelled at once': async (host, { id }) => {
    for (let count = 0; count < 5000; count += 1) {
      const asked = await host.ask('elicitation/create', form(1));
      await host.notify('notifications/cancelled', `{"requestId":"${asked}"}`);
      if (count % 50 === 0) await breathe();
    }
    await host.answer(id, done);
  },
  'an address to open that is a script': asks(
    1,
    () => '{"mode":"url","message":"m","url":"javascript:alert(1)","elicitationId":"1"}',
  ),
  '4,000 sampling requests': asks(4000, () => samplingParams('"hello"'), 'sampling/createMessage'),
  'a sampling request of 3 MB': asks(
    1,
    () => samplingParams(longText(3 * MB)),
    'sampling/createMessage',
  ),
  '20,000 requests for the roots': asks(20_000, () => '{}', 'roots/list'),
  '20,000 requests of an unknown method': asks(20_000, () => '{}', 'no/such'),
  'an exit during the call': () => process.exit(1),
  'no answer': () => undefined,
  '200,000 log messages': async (host, { id }) => {
    for (let count = 0; count < 200; count += 1)
      await host.write(
        '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":"x"}}\n'.repeat(
          1000,
        ),
      );
    await host.answer(id, done);
  },
  'garbage, then the result': async (host, { id }) => {
    for (let count = 0; count < 64; count += 1) await host.write('!\n'.repeat(MB / 2));
    await host.answer(id, done);
  },
};
