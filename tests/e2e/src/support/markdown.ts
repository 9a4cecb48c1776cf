import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const repository = fileURLToPath(new URL('../../../..', import.meta.url));

/** The documentation that users and contributors read, relative to the repository. */
export function documentationFiles(): readonly string[] {
  const patterns = [
    '*.md',
    '{apps,examples,libs,servers,tests,tools}/*/*.md',
    'tests/support/*/*.md',
    'bench/*.md',
    'docs/**/*.md',
  ];
  return globSync(patterns, { cwd: repository }).toSorted();
}

export interface Snippet {
  /** Relative to the repository. */
  readonly file: string;
  readonly line: number;
  readonly language: string;
  readonly text: string;
}

/**
 * Returns every fenced block of the documentation, except of servers with another package scope,
 * whose commands may need what this repository lacks.
 */
export function documentationSnippets(): readonly Snippet[] {
  return documentationFiles()
    .filter((file) => !file.startsWith('servers/') || isOfThisProject(dirname(file)))
    .flatMap((file) => snippetsOf(file, readFileSync(join(repository, file), 'utf8')));
}

function isOfThisProject(folder: string): boolean {
  const { name } = JSON.parse(readFileSync(join(repository, folder, 'package.json'), 'utf8')) as {
    readonly name: string;
  };
  return name.startsWith('@signalbox/');
}

function snippetsOf(file: string, markdown: string): readonly Snippet[] {
  return [...markdown.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map((match) => ({
    file,
    line: markdown.slice(0, match.index).split('\n').length,
    language: match[1] ?? '',
    text: match[2] ?? '',
  }));
}
