/** Endings of texts for which browsers name no media type. */
const TEXT =
  /\.(?:c|cc|conf|cpp|cs|css|go|h|ini|java|jsx?|kt|log|lua|md|mjs|php|py|rb|rs|sh|sql|toml|tsx?|txt)$/i;

/** Returns the media type of a file: that of the browser, or for sources and logs that of a text. */
export function mediaTypeOf({ name, type }: Pick<File, 'name' | 'type'>): string {
  if (TEXT.test(name)) return 'text/plain';
  return type === '' ? 'application/octet-stream' : type;
}
