import { readFile, writeFile } from 'node:fs/promises';

const FILE = new URL('../../AGENT-FIGURES.md', import.meta.url);

export interface Report {
  /** Beginning of the heading of the part that the text replaces. */
  readonly title: string;
  readonly text: string;
  /** Whether the text replaces its part of AGENT-FIGURES.md, instead of going to stdout. */
  readonly toFile: boolean;
}

export async function writeReport({ title, text, toFile }: Report): Promise<void> {
  if (!toFile) {
    process.stdout.write(text);
    return;
  }
  await writeFile(FILE, replacePart(await readFile(FILE, 'utf8'), title, text));
}

/** Replaces the part of a file whose heading of the first level begins with the title, or appends the text. */
export function replacePart(file: string, title: string, text: string): string {
  const parts = file.split(/^(?=# )/mu).filter((part) => part.trim() !== '');
  const isPart = (part: string): boolean => part.startsWith(`# ${title}, `);
  const next = parts.some(isPart)
    ? parts.map((part) => (isPart(part) ? text : part))
    : [...parts, text];
  return `${next.map((part) => part.trim()).join('\n\n')}\n`;
}
