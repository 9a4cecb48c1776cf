import { createTemporaryFolders } from '@signalbox/file-sandbox/testing';
import { chooseOpener, createSandboxBase, findAllowedDirectories } from '@signalbox/file-sandbox';
import type { ContentBlock, GetPromptResult } from '@signalbox/mcp-core';
import type { PromptDefinition } from '@signalbox/mcp-core/server';
import { createTestContext } from '@signalbox/mcp-core/testing';
import { expect, test } from 'vitest';
import { SessionSandbox } from '../session/session-sandbox.ts';
import { createDenyList } from '../files/deny-list.ts';
import { exploreProjectPrompt } from './explore-project.ts';

async function promptOver(
  directory: string,
  deny: readonly string[] = [],
): Promise<PromptDefinition> {
  const opener = await chooseOpener('/');
  const { directories: cli } = await findAllowedDirectories([directory], opener);
  const base = createSandboxBase(opener, { isDenied: createDenyList(deny), directories: cli });
  return exploreProjectPrompt(
    new SessionSandbox({ cli, rootsMode: 'narrow', base, warn: () => undefined }),
  );
}

async function blocksOf(prompt: PromptDefinition, path: string): Promise<readonly ContentBlock[]> {
  const output = await prompt.handler({ path } as never, createTestContext({ era: 'modern' }));
  // The prompt returns a complete result.
  const { messages } = output as GetPromptResult;
  return messages.map(({ content }) => content);
}

test('gives the layout and the files that explain the project as resources', async () => {
  await using folders = await createTemporaryFolders({
    root: {
      'p/README.md': '# Shop',
      'p/package.json': '{}',
      'p/src/index.ts': 'code',
      'p/Makefile': Buffer.from([0, 1]),
      'p/.env': 'KEY=1',
      'p/go.mod': 'x'.repeat(40_000),
    },
  });
  const [question, layout, ...files] = await blocksOf(
    await promptOver(folders.root, ['.env']),
    'p',
  );
  expect(question).toMatchObject({ type: 'text', text: expect.stringContaining('"p"') as string });
  expect(layout).toMatchObject({
    type: 'resource',
    resource: { uri: expect.stringMatching(/\/p$/) as string, mimeType: 'application/json' },
  });
  expect(JSON.stringify(layout)).toContain('src');
  expect(JSON.stringify(layout)).not.toContain('.env');
  expect(files).toMatchObject([{ resource: { text: '# Shop' } }, { resource: { text: '{}' } }]);
});

test.each([
  ['/etc', 'outside the allowed directories'],
  ['none', 'no such file or directory'],
  ['a.txt', 'is not a directory'],
])('refuses %s as bad parameters', async (path, problem) => {
  await using folders = await createTemporaryFolders({ root: { 'a.txt': '' } });
  await expect(blocksOf(await promptOver(folders.root), path)).rejects.toMatchObject({
    code: -32602,
    message: expect.stringContaining(problem) as string,
  });
});

test('completes its path', async () => {
  await using folders = await createTemporaryFolders({
    root: { 'project/x': '', 'private/x': '' },
  });
  const prompt = await promptOver(folders.root, ['private']);
  const completion = await prompt.arguments?.[0]?.complete?.('pr', {
    arguments: {},
    context: createTestContext(),
  });
  expect(completion).toEqual({ values: ['project/'], hasMore: false });
});
