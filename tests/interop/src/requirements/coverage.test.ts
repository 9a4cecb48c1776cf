import { describe, expect, test } from 'vitest';
import { coverageOf } from './coverage.ts';
import { LEGACY, MODERN, must, review, should } from './requirement.ts';

const plain = must('server', 'It answers.', { page: 'basic', versions: MODERN, on: ['stdio'] });
const proof = { requirement: 'a', side: 'server', era: 'modern', wire: 'stdio' } as const;

describe('coverage of the rules', () => {
  test('a MUST needs a proof for each side, era and wire', () => {
    const everywhere = must('both', 'It answers.', { page: 'basic' });
    const { problems, rows } = coverageOf({ a: everywhere }, [proof], []);
    expect(problems).toEqual([
      'MUST without a proof: a (client legacy stdio, client legacy http, client modern stdio, client modern http, server legacy stdio, server legacy http, server modern http)',
    ]);
    expect(rows.find(({ era, wire }) => era === 'modern' && wire === 'stdio')).toMatchObject({
      must: { proved: 1, total: 2 },
      should: { proved: 0, total: 0 },
    });
  });

  test('a rule on any wire is proved by one proof for each era, on some wire', () => {
    const anywhere = must('server', 'It answers.', { page: 'basic', on: 'any' });
    expect(coverageOf({ a: anywhere }, [proof], []).problems).toEqual([
      'MUST without a proof: a (server legacy any)',
    ]);
    expect(
      coverageOf({ a: anywhere }, [proof, { ...proof, era: 'legacy', wire: 'any' }], []).problems,
    ).toEqual([]);
  });

  test('a SHOULD without a proof is listed and fails nothing', () => {
    const { problems, unprovedShould } = coverageOf({ a: { ...plain, level: 'SHOULD' } }, [], []);
    expect({ problems, unprovedShould }).toEqual({
      problems: [],
      unprovedShould: ['a (server modern stdio)'],
    });
  });

  test('a rule that is checked by reading needs no proof, and a proof of it is a mistake', () => {
    const read = review(
      should('server', 'It is kind.', { page: 'basic', versions: MODERN, on: ['stdio'] }),
      'taste',
    );
    expect(coverageOf({ a: read }, [], []).problems).toEqual([]);
    expect(coverageOf({ a: read }, [proof], []).problems).toEqual([
      'a test proves a (server modern stdio), which the table does not demand',
    ]);
  });

  test.each([
    ['an unknown rule', { ...proof, requirement: 'b' }],
    ['the other side', { ...proof, side: 'client' as const }],
    ['an era without the rule', { ...proof, era: 'legacy' as const }],
    ['a wire without the rule', { ...proof, wire: 'http' as const }],
    ['no wire', { ...proof, wire: 'any' as const }],
  ])('a proof of %s is a mistake', (_what, wrong) => {
    expect(coverageOf({ a: plain }, [proof, wrong], []).problems).toEqual([
      expect.stringMatching(/^a test proves .* which the table does not demand$/),
    ]);
  });

  test('a known gap excuses its cells, and no others', () => {
    const both = must('server', 'It answers.', { page: 'basic', versions: LEGACY });
    expect(
      coverageOf({ a: both }, [], [{ requirements: ['a'], wire: 'http', reason: 'later' }])
        .problems,
    ).toEqual(['MUST without a proof: a (server legacy stdio)']);
    expect(
      coverageOf({ a: both }, [], [{ requirements: ['a'], reason: 'later' }]).problems,
    ).toEqual([]);
  });

  test('a known gap that is proved or empty is a mistake', () => {
    expect(
      coverageOf({ a: plain }, [proof], [{ requirements: ['a'], reason: 'later' }]).problems,
    ).toEqual(['a known gap is proved: a (server modern stdio)']);
    expect(
      coverageOf({ a: plain }, [proof], [{ requirements: ['b'], reason: 'later' }]).problems,
    ).toEqual(['a known gap names b, of which nothing must be proved there']);
  });
});
