import { readFile, writeFile } from 'node:fs/promises';

const FILE = new URL('../../../docs/scaling.md', import.meta.url);

/** Texts by the name of the section that they replace. */
export type Sections = ReadonlyMap<string, string>;

/** Writes the sections into docs/scaling.md. */
export async function writeSections(sections: Sections): Promise<void> {
  let text = await readFile(FILE, 'utf8');
  for (const [name, content] of sections) text = replaceSection(text, name, content);
  await writeFile(FILE, text);
}

/**
 * Replaces the text between the comments `bench:scale NAME` and `bench:scale end`.
 * @throws Error when the file has no such section
 */
export function replaceSection(file: string, name: string, content: string): string {
  const begin = `<!-- bench:scale ${name} -->\n`;
  const end = '\n<!-- bench:scale end -->';
  const from = file.indexOf(begin);
  const to = file.indexOf(end, from);
  if (from < 0 || to < 0) throw new Error(`docs/scaling.md has no section ${name}`);
  return `${file.slice(0, from + begin.length)}\n${content.trim()}\n${file.slice(to)}`;
}
