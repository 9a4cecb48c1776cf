/** Characters of a title made from a prompt. */
const MAX_CHARACTERS = 60;

/** Returns a title for a thread that begins with a prompt: its first line, cut between two words. */
export function titleOf(prompt: string): string {
  const [line = ''] = prompt.trim().split('\n', 1);
  if (line.length <= MAX_CHARACTERS) return line;
  const space = line.lastIndexOf(' ', MAX_CHARACTERS);
  return `${line.slice(0, space > MAX_CHARACTERS / 2 ? space : MAX_CHARACTERS).trimEnd()}…`;
}
