import { expect, test } from 'vitest';
import { StepUps } from './step-ups.ts';

const SERVER = 'https://mcp.example/mcp';

test('the same scopes are requested twice, in any order', () => {
  const stepUps = new StepUps();
  stepUps.check(SERVER, ['a', 'b'], ['c'], true);
  stepUps.check(SERVER, ['b', 'a'], ['c'], true);
  expect(() => stepUps.check(SERVER, ['a', 'b'], ['c'], true)).toThrow(
    'still demands the scopes a b, which were requested before',
  );
  expect(() => stepUps.check(SERVER, ['a'], ['c'], true)).not.toThrow();
});

test('scopes that were granted are not requested', () => {
  expect(() => new StepUps().check(SERVER, ['a'], ['a', 'b'], false)).toThrow(
    'which were granted before',
  );
});

test('a server may demand 32 different lists of scopes', () => {
  const stepUps = new StepUps();
  for (let count = 0; count < 32; count += 1) stepUps.check(SERVER, [`s${count}`], [], true);
  expect(() => stepUps.check(SERVER, ['another'], [], true)).toThrow('requested before');
});

test('demands that lead to no request are not counted', () => {
  const stepUps = new StepUps();
  for (let count = 0; count < 100; count += 1) stepUps.check(SERVER, ['a'], [], false);
  expect(() => stepUps.check(SERVER, ['a'], [], true)).not.toThrow();
});
