/** Whether a name matches a pattern in which `*` stands for any run of characters. */
export function matchesPattern(name: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return name === pattern;
  const last = rest.pop() ?? '';
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length)
    return false;
  const end = name.length - last.length;
  let offset = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, offset);
    if (found < 0 || found + part.length > end) return false;
    offset = found + part.length;
  }
  return true;
}
