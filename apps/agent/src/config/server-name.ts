/**
 * What a server may be called. Its name opens every tool's wire name, `server__tool`; without `__` inside and `_` at its end, that name can be
 * read in one way only.
 */
export const SERVER_NAME = /^(?=.{1,32}$)[A-Za-z0-9](?:[A-Za-z0-9-]|_(?=[A-Za-z0-9-]))*$/;

export const SERVER_NAME_RULE =
  'a server is named with 1 to 32 letters, digits, "-" and "_", begins with a letter or digit, does not end with "_" and has no "__" (it separates server and tool)';
