/** Returns the URI of the schema of a database. */
export function schemaUri(database: string): string {
  return `sqlite://${encodeSegment(database)}`;
}

/** Returns the URI of a table or view. */
export function tableUri(database: string, table: string): string {
  return `${schemaUri(database)}/${encodeSegment(table)}`;
}

/** The names in a URI of this server. */
export interface SqliteName {
  readonly database: string;
  /** Absent in the URI of a schema. */
  readonly table?: string;
}

/** Returns the names in the URI of a schema or table; `undefined` for any other URI. */
export function parseSqliteUri(uri: string): SqliteName | undefined {
  const match = /^sqlite:\/\/([^/?#]+)(?:\/([^/?#]+))?$/i.exec(uri);
  if (match === null) return undefined;
  try {
    const database = decodeURIComponent(match[1] ?? '');
    return match[2] === undefined
      ? { database }
      : { database, table: decodeURIComponent(match[2]) };
  } catch {
    return undefined; // A percent sign that encodes nothing.
  }
}

/** Encodes everything but the unreserved characters of RFC 3986. */
function encodeSegment(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
