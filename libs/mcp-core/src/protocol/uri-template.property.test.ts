import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyCharacter } from '../any-character.test.support.ts';
import { UriTemplate } from './uri-template.ts';

const text = fc
  .string({ unit: anyCharacter, minLength: 1 })
  .filter((value) => value.isWellFormed());

test('every value is recovered from its expanded URI', () => {
  const template = new UriTemplate('x://{a}/mid{/b,c}{?d,e}');
  fc.assert(
    fc.property(text, text, fc.tuple(text, fc.option(text), fc.option(text)), (a, b, [c, d, e]) => {
      const query = [
        ...(e === null ? [] : [`e=${encodeURIComponent(e)}`]),
        ...(d === null ? [] : [`d=${encodeURIComponent(d)}`]),
      ];
      const uri = `x://${encodeURIComponent(a)}/mid/${encodeURIComponent(b)}/${encodeURIComponent(c)}${query.length === 0 ? '' : `?${query.join('&')}`}`;
      expect(template.match(uri)).toEqual({
        a,
        b,
        c,
        ...(d === null ? {} : { d }),
        ...(e === null ? {} : { e }),
      });
    }),
  );
});

test('no URI makes a match throw', () => {
  const templates = ['x://{a}', 'x://{+a}{?b}', '{a}{.b}{#c}', 'x{/a,b}?f{&c}'].map(
    (template) => new UriTemplate(template),
  );
  const part = fc.constantFrom(
    'x://',
    '%',
    '%41',
    '%zz',
    '?',
    '&',
    '=',
    '#',
    '/',
    '.',
    'b',
    'a',
    '\n',
    '\u{1F600}',
    '\uD800',
  );
  fc.assert(
    fc.property(
      fc.array(part).map((parts) => parts.join('')),
      (uri) => {
        for (const template of templates)
          expect(
            Object.values(template.match(uri) ?? {}).every((value) => typeof value === 'string'),
          ).toBe(true);
      },
    ),
  );
});

test.each([
  ['{a}-{b}', /^([^/?#,]+)-([^/?#,]+)$/u],
  ['-{a}{b}.{c}', /^-([^/?#,]+)([^/?#,]+)\.([^/?#,]+)$/u],
  ['{+a}-{+b}{.c}', /^(.+)-(.+)\.([^/?#.]+)$/u],
  ['{/a,b}{#c}', /^\/([^/?#]+)\/([^/?#]+)#(.+)$/u],
])('%s divides a URI as a greedy regular expression does', (template, expression) => {
  const uris = fc
    .array(fc.constantFrom('a', 'b', '-', '.', '/', '#', ','), { maxLength: 12 })
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(uris, (uri) => {
      const values = new UriTemplate(template).match(uri);
      expect(values && Object.values(values)).toEqual(expression.exec(uri)?.slice(1));
    }),
    { numRuns: 500 },
  );
});
