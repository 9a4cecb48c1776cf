/** Returns the text below the name of a tool or prompt: its title where that differs from the name, otherwise its description. */
export function subtitleOf(name: string, title: string | undefined, description = ''): string {
  return title === undefined || wordsOf(title) === wordsOf(name) ? description : title;
}

function wordsOf(text: string): string {
  return text
    .replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, ' ')
    .toLowerCase()
    .replaceAll(/[\s_.-]+/g, ' ')
    .trim();
}
