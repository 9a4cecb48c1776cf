/** PRAGMAs that only report, and what they may be given in parentheses. @see https://www.sqlite.org/pragma.html */
const READ_PRAGMAS: ReadonlyMap<string, 'required' | 'optional' | 'none'> = new Map([
  ['table_info', 'required'],
  ['table_xinfo', 'required'],
  ['table_list', 'optional'],
  ['index_list', 'required'],
  ['index_info', 'required'],
  ['index_xinfo', 'required'],
  ['foreign_key_list', 'required'],
  ['database_list', 'none'],
  ['page_count', 'none'],
  ['page_size', 'none'],
  ['user_version', 'none'],
  ['schema_version', 'none'],
  ['encoding', 'none'],
  ['integrity_check', 'optional'],
  ['quick_check', 'optional'],
  ['compile_options', 'none'],
  ['function_list', 'none'],
]);

export const READ_PRAGMA_NAMES: readonly string[] = [...READ_PRAGMAS.keys()];

/** Whether the PRAGMA may be used at all, as a statement or as the table-valued function `pragma_<name>`. */
export function isReadPragma(name: string): boolean {
  return READ_PRAGMAS.has(name.toLowerCase());
}

/** Whether the PRAGMA statement may carry an argument; for the others an argument is a setter. */
export function takesArgument(name: string): boolean {
  const argument = READ_PRAGMAS.get(name.toLowerCase());
  return argument === 'required' || argument === 'optional';
}
