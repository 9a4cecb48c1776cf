/** The parts of an address whose options a program adds to. */
export interface ConnectionOptions {
  readonly connectionString: string;
  /** Options of the server, such as `-c search_path=service`. May be empty. */
  readonly options: string;
}

/**
 * Takes the parameter `options` out of an address. In the address it would replace all options that
 * the program passes to pg.
 */
export function connectionOptions(url: string): ConnectionOptions {
  const address = URL.parse(url);
  const options = address?.searchParams.get('options') ?? '';
  if (address === null || options === '') return { connectionString: url, options: '' };
  address.searchParams.delete('options');
  return { connectionString: address.href, options };
}
