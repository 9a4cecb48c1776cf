import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const repository = fileURLToPath(new URL('../../../..', import.meta.url));

export interface Snippet {
  /** Relative to the repository. */
  readonly file: string;
  readonly line: number;
  readonly language: string;
  readonly text: string;
}

/** Every fenced block of the documentation that users read. */
export function documentationSnippets(): readonly Snippet[] {
  const files = globSync(['*.md', '{apps,libs,servers}/*/*.md', 'bench/*.md', 'docs/**/*.md'], { cwd: repository }).toSorted();
  return files.flatMap((file) => snippetsOf(file, readFileSync(join(repository, file), 'utf8')));
}

function snippetsOf(file: string, markdown: string): readonly Snippet[] {
  return [...markdown.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map((match) => ({
    file,
    line: markdown.slice(0, match.index).split('\n').length,
    language: match[1] ?? '',
    text: match[2] ?? '',
  }));
}
