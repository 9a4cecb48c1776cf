export interface DropInCall {
  readonly what: string;
  readonly tool: string;
  /** `${ROOT}` stands for the allowed directory. */
  readonly args: { readonly [name: string]: unknown };
  /** Adds files to the allowed directory `root`. */
  readonly prepare?: (root: string) => void;
  /**
   * Our answer where it is not the official one to the byte: its text, with `${ROOT}` for the
   * allowed directory. Default: the same answer.
   */
  readonly ours?: ExpectedAnswer;
  /** The answer of the official server, for each call with `ours`. */
  readonly theirs?: ExpectedAnswer;
  /**
   * Start of the row about the difference in docs/filesystem.md. Default, where both answers are
   * errors: the row about their texts.
   */
  readonly row?: string;
  /** Whether the files differ afterwards. */
  readonly leavesOtherFiles?: true;
}

export interface ExpectedAnswer {
  readonly isError?: true;
  readonly isProtocolError?: true;
  /** Text of the only block of content, or of each block; JSON for a block without text. */
  readonly text: string | RegExp | readonly (string | RegExp)[];
}

/** Row about calls that fail on both servers, with other texts. */
export const textsOfErrors = 'Texts of errors';

/** Files of both servers; every call begins with a fresh copy. */
export const files: { readonly [path: string]: string | Buffer } = {
  'a.txt': 'line1\nline2\nline3\n',
  'B.txt': 'one\ntwo\nthree',
  'crlf.txt': 'one\r\ntwo\r\nthree',
  'latin1.txt': Buffer.from('636166e90a', 'hex'),
  'twice.txt': 'same\nsame\n',
  'pixel.png': Buffer.from('89504e470d0a1a0a', 'hex'),
  'sound.mp3': Buffer.from('4944330300', 'hex'),
  'data.bin': Buffer.from('00010203', 'hex'),
  'sub/b.js': 'b();\n',
  'sub/deep/c.js': 'c();\n',
  'sub/deep.txt': 'beside deep\n',
  'sub.d/e.js': 'e();\n',
  'empty/none/.keep': '',
  '\u{1f600}.txt': 'after U+FF21 by code point, before it by code unit\n',
  '\uff21.txt': '',
  'big.txt': `${'0123456789abcdef'.repeat(256)}\n`,
};

/** Links of both servers: names and targets. */
export const links: { readonly [path: string]: string } = {
  'link.txt': 'big.txt',
  'link-dir': 'sub',
  'link-none': 'none',
};

/** Calls of every tool of the official server, as its users make them. */
export const calls: readonly DropInCall[] = [
  { what: 'a text file', tool: 'read_text_file', args: { path: '${ROOT}/a.txt' } },
  { what: 'a text file by the old name', tool: 'read_file', args: { path: '${ROOT}/a.txt' } },
  { what: 'CRLF', tool: 'read_text_file', args: { path: '${ROOT}/crlf.txt' } },
  { what: 'a linked file', tool: 'read_text_file', args: { path: '${ROOT}/link.txt' } },
  { what: 'a relative path', tool: 'read_text_file', args: { path: 'sub/b.js' } },
  { what: 'the first lines', tool: 'read_text_file', args: { path: '${ROOT}/a.txt', head: 2 } },
  { what: 'all first lines', tool: 'read_text_file', args: { path: '${ROOT}/a.txt', head: 3 } },
  { what: 'more lines', tool: 'read_text_file', args: { path: '${ROOT}/a.txt', head: 9 } },
  { what: 'the first of one', tool: 'read_text_file', args: { path: '${ROOT}/B.txt', head: 1 } },
  { what: 'the last lines', tool: 'read_text_file', args: { path: '${ROOT}/B.txt', tail: 2 } },
  { what: 'the last of more', tool: 'read_text_file', args: { path: '${ROOT}/B.txt', tail: 9 } },
  { what: 'the end of CRLF', tool: 'read_text_file', args: { path: '${ROOT}/crlf.txt', tail: 2 } },
  {
    what: 'the start of CRLF',
    tool: 'read_text_file',
    args: { path: '${ROOT}/crlf.txt', head: 2 },
    ours: { text: 'one\r\ntwo' },
    theirs: { text: 'one\r\ntwo\r' },
    row: '`head` of a file with CRLF',
  },
  {
    what: 'the last lines before a line end',
    tool: 'read_text_file',
    args: { path: '${ROOT}/a.txt', tail: 2 },
    ours: { text: 'line2\nline3\n' },
    theirs: { text: 'line3\n' },
    row: '`tail` of a file that ends in a line end',
  },
  {
    what: 'no lines',
    tool: 'read_text_file',
    args: { path: '${ROOT}/a.txt', head: 0 },
    ours: { isError: true, text: /^Invalid arguments.*head/ },
    theirs: { text: 'line1\nline2\nline3\n' },
    row: '`head: 0`',
  },
  {
    what: 'Latin-1',
    tool: 'read_text_file',
    args: { path: '${ROOT}/latin1.txt' },
    ours: { text: 'caf\u00e9\n' },
    theirs: { text: 'caf\ufffd\n' },
    row: 'Text that is not UTF-8',
  },
  {
    what: 'binary as text',
    tool: 'read_text_file',
    args: { path: '${ROOT}/data.bin' },
    ours: { isError: true, text: /^\$\{ROOT\}\/data\.bin is a binary file/ },
    theirs: { text: '\u0000\u0001\u0002\u0003' },
    row: 'Binary files read as text',
  },
  {
    what: 'a missing file',
    tool: 'read_text_file',
    args: { path: '${ROOT}/none' },
    ours: { isError: true, text: '${ROOT}/none: no such file or directory' },
    theirs: { isError: true, text: /^ENOENT/ },
  },
  {
    what: 'a directory',
    tool: 'read_text_file',
    args: { path: '${ROOT}/sub' },
    ours: { isError: true, text: /^\$\{ROOT\}\/sub is a directory/ },
    theirs: { isError: true, text: /^EISDIR/ },
  },
  {
    what: 'outside',
    tool: 'read_text_file',
    args: { path: '/etc/passwd' },
    ours: { isError: true, text: /^Access denied/ },
    theirs: { isError: true, text: /^Access denied - path outside allowed directories/ },
  },
  {
    what: 'no path',
    tool: 'read_text_file',
    args: {},
    ours: { isError: true, text: /^Invalid arguments.*path/ },
    theirs: { isError: true, text: /path/ },
  },
  {
    what: 'an unknown argument',
    tool: 'read_text_file',
    args: { path: '${ROOT}/a.txt', lines: 1 },
    ours: { isError: true, text: /^Invalid arguments.*lines/ },
    theirs: { text: 'line1\nline2\nline3\n' },
    row: 'Unknown arguments',
  },
  { what: 'a picture', tool: 'read_media_file', args: { path: '${ROOT}/pixel.png' } },
  { what: 'a sound', tool: 'read_media_file', args: { path: '${ROOT}/sound.mp3' } },
  { what: 'anything else', tool: 'read_media_file', args: { path: '${ROOT}/data.bin' } },
  {
    what: 'several files',
    tool: 'read_multiple_files',
    args: { paths: ['${ROOT}/a.txt', '${ROOT}/sub/b.js'] },
  },
  {
    what: 'several files, one missing',
    tool: 'read_multiple_files',
    args: { paths: ['${ROOT}/a.txt', '${ROOT}/none'] },
    ours: {
      text: '${ROOT}/a.txt:\nline1\nline2\nline3\n\n\n---\n${ROOT}/none: Error - ${ROOT}/none: no such file or directory',
    },
    theirs: {
      text: /^\$\{ROOT\}\/a\.txt:\nline1\nline2\nline3\n\n\n---\n\$\{ROOT\}\/none: Error - ENOENT/,
    },
    row: textsOfErrors,
  },
  { what: 'a new file', tool: 'write_file', args: { path: '${ROOT}/new.txt', content: 'new' } },
  { what: 'a replaced file', tool: 'write_file', args: { path: 'a.txt', content: 'new' } },
  {
    what: 'a file in a directory that is missing',
    tool: 'write_file',
    args: { path: '${ROOT}/x/new.txt', content: 'new' },
    ours: { isError: true, text: /parent directory does not exist/ },
    theirs: { isError: true, text: /ENOENT|Parent directory does not exist/ },
  },
  {
    what: 'an edit',
    tool: 'edit_file',
    args: { path: '${ROOT}/a.txt', edits: [{ oldText: 'line2', newText: 'LINE2' }] },
  },
  {
    what: 'an edit that is only shown',
    tool: 'edit_file',
    args: { path: '${ROOT}/a.txt', edits: [{ oldText: 'line2', newText: 'LINE2' }], dryRun: true },
  },
  {
    what: 'several edits',
    tool: 'edit_file',
    args: {
      path: '${ROOT}/a.txt',
      edits: [
        { oldText: 'line1', newText: 'L1' },
        { oldText: 'line3\n', newText: 'L3\n' },
      ],
    },
  },
  {
    what: 'an edit of nothing that is there',
    tool: 'edit_file',
    args: { path: '${ROOT}/a.txt', edits: [{ oldText: 'none', newText: 'x' }] },
    ours: { isError: true, text: /oldText/ },
    theirs: { isError: true, text: 'Could not find exact match for edit:\nnone' },
  },
  {
    what: 'an edit of what is there twice',
    tool: 'edit_file',
    args: { path: '${ROOT}/twice.txt', edits: [{ oldText: 'same', newText: 'x' }] },
    ours: { isError: true, text: /oldText occurs 2 times \(lines 1, 2\); nothing was changed/ },
    theirs: { text: /^```diff\n/ },
    row: '`oldText` that occurs more than once',
    leavesOtherFiles: true,
  },
  {
    what: 'an edit without old text',
    tool: 'edit_file',
    args: { path: '${ROOT}/a.txt', edits: [{ oldText: '', newText: 'x' }] },
    ours: { isError: true, text: /empty oldText; nothing was changed/ },
    theirs: { text: /^```diff\n/ },
    row: 'Empty `oldText`',
    leavesOtherFiles: true,
  },
  { what: 'a directory', tool: 'create_directory', args: { path: '${ROOT}/p/q/r' } },
  { what: 'a directory that is there', tool: 'create_directory', args: { path: '${ROOT}/sub' } },
  { what: 'a listing', tool: 'list_directory', args: { path: '${ROOT}' } },
  { what: 'an empty listing', tool: 'list_directory', args: { path: '${ROOT}/empty/none/x' } },
  {
    what: 'a listing of a file',
    tool: 'list_directory',
    args: { path: '${ROOT}/a.txt' },
    ours: { isError: true, text: /^\$\{ROOT\}\/a\.txt is not a directory/ },
    theirs: { isError: true, text: /^ENOTDIR/ },
  },
  { what: 'a listing with sizes', tool: 'list_directory_with_sizes', args: { path: '${ROOT}' } },
  {
    what: 'a listing by size',
    tool: 'list_directory_with_sizes',
    args: { path: '${ROOT}', sortBy: 'size' },
  },
  {
    what: 'a listing of nothing',
    tool: 'list_directory_with_sizes',
    args: { path: '${ROOT}/empty/none/x' },
  },
  { what: 'a tree', tool: 'directory_tree', args: { path: '${ROOT}' } },
  {
    what: 'a tree without some',
    tool: 'directory_tree',
    args: { path: '${ROOT}', excludePatterns: ['deep', '*.txt', 'sub/*.js'] },
  },
  { what: 'a tree of nothing', tool: 'directory_tree', args: { path: '${ROOT}/empty/none/x' } },
  {
    what: 'a tree of a file',
    tool: 'directory_tree',
    args: { path: '${ROOT}/a.txt' },
    ours: { isError: true, text: /^\$\{ROOT\}\/a\.txt is not a directory/ },
    theirs: { isError: true, text: /^ENOTDIR/ },
  },
  {
    what: 'a move',
    tool: 'move_file',
    args: { source: '${ROOT}/a.txt', destination: '${ROOT}/sub/moved.txt' },
  },
  {
    what: 'a move onto something',
    tool: 'move_file',
    args: { source: '${ROOT}/a.txt', destination: '${ROOT}/crlf.txt' },
    ours: { isError: true, text: /already exists/ },
    theirs: { isError: true, text: 'Destination already exists: ${ROOT}/crlf.txt' },
  },
  {
    what: 'a search of the first level',
    tool: 'search_files',
    args: { path: '${ROOT}', pattern: '*.txt' },
  },
  {
    what: 'a search of all levels',
    tool: 'search_files',
    args: { path: '${ROOT}', pattern: '**/*.js' },
  },
  {
    what: 'a search of everything',
    tool: 'search_files',
    args: { path: '${ROOT}', pattern: '**', excludePatterns: ['sub/deep'] },
  },
  { what: 'a search for nothing', tool: 'search_files', args: { path: 'sub', pattern: '*.none' } },
  {
    what: 'a search by a plain name',
    tool: 'search_files',
    args: { path: '${ROOT}', pattern: 'c.js' },
    ours: { text: '${ROOT}/sub/deep/c.js' },
    theirs: { text: 'No matches found' },
    row: '`search_files` with a plain name',
  },
  { what: 'facts of a file', tool: 'get_file_info', args: { path: '${ROOT}/a.txt' } },
  { what: 'facts of a directory', tool: 'get_file_info', args: { path: '${ROOT}/sub' } },
  { what: 'facts of a link', tool: 'get_file_info', args: { path: '${ROOT}/link.txt' } },
  {
    what: 'facts of what is missing',
    tool: 'get_file_info',
    args: { path: '${ROOT}/none' },
    ours: { isError: true, text: '${ROOT}/none: no such file or directory' },
    theirs: { isError: true, text: /^ENOENT/ },
  },
  { what: 'the allowed directories', tool: 'list_allowed_directories', args: {} },
  {
    what: 'a tool that is none',
    tool: 'nope',
    args: {},
    ours: { isProtocolError: true, text: /-32602.*nope|Unknown tool/ },
    theirs: { isError: true, text: 'MCP error -32602: Tool nope not found' },
    row: 'Unknown tool',
  },
];
