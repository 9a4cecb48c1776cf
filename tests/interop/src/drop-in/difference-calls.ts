import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DropInCall } from './calls.ts';

const tabbed = 'def f():\n\tif a:\n\t\treturn 1\n\treturn 2\n';
const png = Buffer.from('89504e470d0a1a0a', 'hex');

/** Puts this many names of an empty file into `many`; links are made faster than files. */
function fillMany(root: string, names: readonly string[]): void {
  mkdirSync(join(root, 'many'));
  for (const name of names) linkSync(join(root, '\uff21.txt'), join(root, 'many', name));
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => 10_000 + index);

/** Calls that show a difference with files of their own. */
export const differenceCalls: readonly DropInCall[] = [
  {
    what: 'a file with a byte order mark',
    tool: 'read_text_file',
    args: { path: '${ROOT}/bom.txt' },
    prepare: (root) => writeFileSync(join(root, 'bom.txt'), '\ufeffhello\n'),
    ours: { text: 'hello\n' },
    theirs: { text: '\ufeffhello\n' },
    row: 'Byte order mark',
  },
  {
    what: 'UTF-16',
    tool: 'read_text_file',
    args: { path: '${ROOT}/wide.txt' },
    prepare: (root) => writeFileSync(join(root, 'wide.txt'), '\ufeffhello\n', 'utf16le'),
    ours: { text: 'hello\n' },
    theirs: { text: /^\ufffd\ufffdh\0e\0l\0l\0o\0\n\0$/ },
    row: 'Byte order mark',
  },
  {
    what: 'an edit of a file with a byte order mark',
    tool: 'edit_file',
    args: { path: '${ROOT}/wide.txt', edits: [{ oldText: 'hello', newText: 'bye' }] },
    prepare: (root) => writeFileSync(join(root, 'wide.txt'), '\ufeffhello\n', 'utf16le'),
    ours: { text: /^```diff\n/ },
    theirs: { isError: true, text: /^Could not find exact match/ },
    row: 'Byte order mark',
    leavesOtherFiles: true,
  },
  {
    what: 'an edit of Latin-1',
    tool: 'edit_file',
    args: { path: '${ROOT}/latin1.txt', edits: [{ oldText: 'caf', newText: 'CAF' }] },
    ours: { text: /\n-caf\u00e9\n\+CAF\u00e9\n/ },
    theirs: { text: /\n-caf\ufffd\n\+CAF\ufffd\n/ },
    row: 'Text that is not UTF-8',
    leavesOtherFiles: true,
  },
  {
    what: 'a long file',
    tool: 'read_text_file',
    args: { path: '${ROOT}/long.txt' },
    prepare: (root) => writeFileSync(join(root, 'long.txt'), `${'x'.repeat(99)}\n`.repeat(3000)),
    ours: { text: [/^(?:x{99}\n){2000,2999}$/, /offset/] },
    theirs: { text: /^(?:x{99}\n){3000}$/ },
    row: 'Long files',
  },
  {
    what: 'a big list',
    tool: 'list_directory',
    args: { path: '${ROOT}/many' },
    prepare: (root) => {
      fillMany(root, numbers(2001).map(String));
    },
    ours: { text: [/^\[FILE\] 10000\n.*\[FILE\] 11999$/s, /cursor/] },
    theirs: { text: /^\[FILE\] 10000\n.*\[FILE\] 12000$/s },
    row: 'Big trees and lists',
  },
  {
    what: 'a big tree',
    tool: 'directory_tree',
    args: { path: '${ROOT}/many' },
    prepare: (root) => {
      fillMany(root, numbers(2001).map(String));
    },
    ours: { text: [/"11999"/, /omitted/] },
    theirs: { text: /"12000"/ },
    row: 'Big trees and lists',
  },
  {
    what: 'a big search',
    tool: 'search_files',
    args: { path: '${ROOT}/many', pattern: '*' },
    prepare: (root) => {
      fillMany(
        root,
        numbers(3000).map((number) => `${number}${'x'.repeat(240)}`),
      );
    },
    ours: { text: [/^(?:\$\{ROOT\}\/many\/1\d{4}x{240}\n?){500,2999}$/, /3000/] },
    theirs: { text: /^(?:\$\{ROOT\}\/many\/1\d{4}x{240}\n?){3000}$/ },
    row: 'Big searches',
  },
  {
    what: 'the size of a link to the outside',
    tool: 'list_directory_with_sizes',
    args: { path: '${ROOT}/links' },
    prepare: (root) => {
      mkdirSync(join(root, 'links'));
      writeFileSync(join(dirname(root), 'outside.txt'), 'x'.repeat(777));
      symlinkSync('../../outside.txt', join(root, 'links/out.txt'));
    },
    ours: { text: /^\[FILE\] out\.txt +0 B\n/ },
    theirs: { text: /^\[FILE\] out\.txt +777 B\n/ },
    row: 'Size of a link to the outside',
  },
  {
    what: 'a line end in a name',
    tool: 'list_directory',
    args: { path: '${ROOT}/names' },
    prepare: (root) => {
      mkdirSync(join(root, 'names'));
      writeFileSync(join(root, 'names', 'a\n[DIR] b'), '');
    },
    ours: { text: String.raw`[FILE] a\u000a[DIR] b` },
    theirs: { text: '[FILE] a\n[DIR] b' },
    row: 'Control characters in names',
  },
  {
    what: 'a picture with the name of a sound',
    tool: 'read_media_file',
    args: { path: '${ROOT}/picture.mp3' },
    prepare: (root) => writeFileSync(join(root, 'picture.mp3'), png),
    ours: { text: '{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"}' },
    theirs: { text: '{"type":"audio","data":"iVBORw0KGgo=","mimeType":"audio/mpeg"}' },
    row: 'Type of media',
  },
  {
    what: 'a path in the home directory',
    tool: 'read_text_file',
    args: { path: '~/a.txt' },
    ours: { isError: true, text: /~ is not expanded/ },
    theirs: { text: 'line1\nline2\nline3\n' },
    row: '`~` at the start of a path',
  },
  {
    what: 'a file with the name of the home directory',
    tool: 'read_text_file',
    args: { path: './~' },
    prepare: (root) => writeFileSync(join(root, '~'), 'tilde'),
  },
  {
    what: 'a backslash in a new name',
    tool: 'write_file',
    args: { path: String.raw`sub\new.txt`, content: 'x' },
    ours: { isError: true, text: /backslash/ },
    theirs: { text: /^Successfully wrote/ },
    row: 'A backslash in a new name on POSIX',
    leavesOtherFiles: true,
  },
  {
    what: 'a file with two names',
    tool: 'write_file',
    args: { path: '${ROOT}/a.txt', content: 'new' },
    prepare: (root) => {
      linkSync(join(root, 'a.txt'), join(root, 'second.txt'));
    },
    row: 'A hard-linked file that is written',
    leavesOtherFiles: true,
  },
  {
    what: 'an edit that changes nothing',
    tool: 'edit_file',
    args: { path: '${ROOT}/a.txt', edits: [{ oldText: 'line2', newText: 'line2' }] },
    ours: { isError: true, text: /nothing was changed/ },
    theirs: { text: /^```diff\n/ },
    row: 'Empty `oldText`',
  },
  {
    what: 'no edits',
    tool: 'edit_file',
    args: { path: '${ROOT}/a.txt', edits: [] },
    ours: { isError: true, text: /edits/ },
    theirs: { text: /^```diff\n/ },
    row: 'Empty `oldText`',
  },
  {
    what: 'an edit with other white space',
    tool: 'edit_file',
    args: {
      path: '${ROOT}/tabs.py',
      edits: [
        {
          oldText: '    if a:\n        return 1',
          newText: '    if a:\n        return 10\n    else:\n        pass',
        },
      ],
    },
    prepare: (root) => writeFileSync(join(root, 'tabs.py'), tabbed),
    ours: { text: /\n\+\t\treturn 10\n\+\telse:\n\+\t\tpass\n/ },
    theirs: { text: /\n\+\treturn 10\n\+ {4}else:\n\+ {8}pass\n/ },
    row: 'Edit that matches only without its white space',
    leavesOtherFiles: true,
  },
  {
    what: 'half a line',
    tool: 'read_text_file',
    args: { path: '${ROOT}/a.txt', head: 1.5 },
    ours: { isError: true, text: /^Invalid arguments.*head/ },
    theirs: { text: 'line1\nline2' },
    row: '`head: 0`',
  },
  {
    what: 'the first and the last lines',
    tool: 'read_text_file',
    args: { path: '${ROOT}/a.txt', head: 1, tail: 1 },
    ours: { isError: true, text: /^head and tail cannot be combined/ },
    theirs: { isError: true, text: /^Cannot specify both head and tail/ },
  },
];
