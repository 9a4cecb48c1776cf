import { expect, test } from 'vitest';
import { collectPages } from './pagination.ts';

const endless = (page: (number: number) => object) => {
  let pages = 0;
  return collectPages('tools', () =>
    Promise.resolve({ ...page((pages += 1)), nextCursor: String(pages) }),
  ).then(
    () => ({ pages, problem: undefined }),
    (error: unknown) => ({ pages, problem: String(error) }),
  );
};

test('joins the pages, whatever their cursors are', async () => {
  const pages = new Map<unknown, object>([
    [undefined, { tools: [1, 2], nextCursor: '' }],
    ['', { tools: [], nextCursor: 'x' }],
    ['x', { tools: [3] }],
  ]);
  expect(
    await collectPages('tools', ({ cursor }) => Promise.resolve({ ...pages.get(cursor) })),
  ).toEqual([1, 2, 3]);
});

test.each([
  ['one page', [[1, 2]]],
  ['three pages', [[1], [2], [3]]],
])(
  'ends %s whose last names an empty cursor, which the server takes for none',
  async (_title, lists) => {
    const found = await collectPages('tools', ({ cursor }) => {
      const number = Number(cursor ?? '');
      const isLast = number + 1 === lists.length;
      return Promise.resolve({
        tools: lists[number],
        nextCursor: isLast ? '' : String(number + 1),
      });
    });
    expect(found).toEqual(lists.flat());
  },
);

test('counts a page before it is stored, and values by their cost', async () => {
  const objects = Array.from({ length: 100_000 }, () => ({}));
  expect(await endless(() => ({ tools: [{ objects }] }))).toEqual({
    pages: 6,
    problem: expect.stringContaining('its first 6 pages are too large to be kept') as string,
  });
  expect(await endless(() => ({ tools: ['x'.repeat(4_000_000)] }))).toMatchObject({ pages: 5 });
});

test('rejects an endless list', async () => {
  expect(await endless(() => ({ tools: [] }))).toMatchObject({ pages: 10_000 });
  const again = collectPages('tools', () =>
    Promise.resolve({ tools: [], nextCursor: 'c'.repeat(100_000) }),
  );
  await expect(again).rejects.toThrow(/points to cursor "c{199}… \(100002 characters\) again/);
});
