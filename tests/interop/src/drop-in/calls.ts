/**
 * Relation of our result to the official server's. `same`: equal text, and equal `content` in the
 * structured result; `same text`: only the text is equal; `same lines`: equal lines, or tree
 * entries, in any order, because the official server lists in the order of the file system; `both
 * fail`: each with its own text.
 */
export type Relation = 'same' | 'same text' | 'same lines' | 'both fail' | 'different';

export interface DropInCall {
  readonly what: string;
  readonly tool: string;
  /** `${ROOT}` stands for the allowed directory. */
  readonly args: { readonly [name: string]: unknown };
  readonly relation: Relation;
  /** Our result where it differs: its text, with `${ROOT}` for the allowed directory. */
  readonly ours?: { readonly isError?: true; readonly text: string | RegExp };
  /** Start of the row about the difference in docs/filesystem.md; every `different` call has one. */
  readonly row?: string;
  /** Whether the files differ afterwards. */
  readonly leavesOtherFiles?: true;
}

/** Files of both servers; every call begins with a fresh copy. */
export const files: { readonly [path: string]: string | Buffer } = {
  'a.txt': 'line1\nline2\nline3\n',
  'crlf.txt': 'one\r\ntwo\r\nthree\r\n',
  'latin1.txt': Buffer.from('636166e90a', 'hex'),
  'twice.txt': 'same\nsame\n',
  'pixel.png': Buffer.from('89504e470d0a1a0a', 'hex'),
  'sound.mp3': Buffer.from('4944330300', 'hex'),
  'data.bin': Buffer.from('00010203', 'hex'),
  'sub/b.js': 'b();\n',
  'sub/deep/c.js': 'c();\n',
  'empty/.keep': '',
};

/** Calls of every tool of the official server, as its users make them. */
export const calls: readonly DropInCall[] = [
  {
    what: 'a text file',
    tool: 'read_text_file',
    args: { path: '${ROOT}/a.txt' },
    relation: 'same',
  },
  {
    what: 'a text file by the old name',
    tool: 'read_file',
    args: { path: '${ROOT}/a.txt' },
    relation: 'same',
  },
  { what: 'CRLF', tool: 'read_text_file', args: { path: '${ROOT}/crlf.txt' }, relation: 'same' },
  {
    what: 'the first lines',
    tool: 'read_text_file',
    args: { path: '${ROOT}/a.txt', head: 2 },
    relation: 'different',
    ours: { text: 'line1\nline2\n' },
    row: '`head`',
  },
  {
    what: 'the last lines',
    tool: 'read_text_file',
    args: { path: '${ROOT}/a.txt', tail: 2 },
    relation: 'different',
    ours: { text: 'line2\nline3\n' },
    row: '`tail: 1`',
  },
  {
    what: 'no lines',
    tool: 'read_text_file',
    args: { path: '${ROOT}/a.txt', head: 0 },
    relation: 'different',
    ours: { isError: true, text: /head/ },
    row: '`head: 0`',
  },
  {
    what: 'Latin-1',
    tool: 'read_text_file',
    args: { path: '${ROOT}/latin1.txt' },
    relation: 'different',
    ours: { text: 'café\n' },
    row: 'Text that is not UTF-8',
  },
  {
    what: 'binary as text',
    tool: 'read_text_file',
    args: { path: '${ROOT}/data.bin' },
    relation: 'different',
    ours: { isError: true, text: /is a binary file/ },
    row: 'Binary files read as text',
  },
  {
    what: 'a missing file',
    tool: 'read_text_file',
    args: { path: '${ROOT}/none' },
    relation: 'both fail',
  },
  {
    what: 'a directory',
    tool: 'read_text_file',
    args: { path: '${ROOT}/sub' },
    relation: 'both fail',
  },
  { what: 'outside', tool: 'read_text_file', args: { path: '/etc/passwd' }, relation: 'both fail' },
  { what: 'no path', tool: 'read_text_file', args: {}, relation: 'both fail' },
  {
    what: 'an unknown argument',
    tool: 'read_text_file',
    args: { path: '${ROOT}/a.txt', lines: 1 },
    relation: 'different',
    ours: { isError: true, text: /lines/ },
    row: 'Unknown arguments',
  },
  {
    what: 'a picture',
    tool: 'read_media_file',
    args: { path: '${ROOT}/pixel.png' },
    relation: 'same',
  },
  {
    what: 'a sound',
    tool: 'read_media_file',
    args: { path: '${ROOT}/sound.mp3' },
    relation: 'same',
  },
  {
    what: 'anything else',
    tool: 'read_media_file',
    args: { path: '${ROOT}/data.bin' },
    relation: 'same',
  },
  {
    what: 'several files',
    tool: 'read_multiple_files',
    args: { paths: ['${ROOT}/a.txt', '${ROOT}/sub/b.js'] },
    relation: 'same',
  },
  {
    what: 'a new file',
    tool: 'write_file',
    args: { path: '${ROOT}/new.txt', content: 'new' },
    relation: 'different',
    ours: { text: 'Created ${ROOT}/new.txt (3 bytes).' },
    row: 'Text of writing tools',
  },
  {
    what: 'a file in a directory that is missing',
    tool: 'write_file',
    args: { path: '${ROOT}/x/new.txt', content: 'new' },
    relation: 'both fail',
  },
  {
    what: 'an edit',
    tool: 'edit_file',
    args: { path: '${ROOT}/a.txt', edits: [{ oldText: 'line2', newText: 'LINE2' }] },
    relation: 'same text',
    row: 'Structured results',
  },
  {
    what: 'an edit that is only shown',
    tool: 'edit_file',
    args: { path: '${ROOT}/a.txt', edits: [{ oldText: 'line2', newText: 'LINE2' }], dryRun: true },
    relation: 'same text',
    row: 'Structured results',
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
    relation: 'same text',
    row: 'Structured results',
  },
  {
    what: 'an edit of nothing that is there',
    tool: 'edit_file',
    args: { path: '${ROOT}/a.txt', edits: [{ oldText: 'none', newText: 'x' }] },
    relation: 'both fail',
  },
  {
    what: 'an edit of what is there twice',
    tool: 'edit_file',
    args: { path: '${ROOT}/twice.txt', edits: [{ oldText: 'same', newText: 'x' }] },
    relation: 'different',
    ours: { isError: true, text: /oldText occurs 2 times \(lines 1, 2\); nothing was changed/ },
    row: '`oldText` that occurs more than once',
    leavesOtherFiles: true,
  },
  {
    what: 'an edit without old text',
    tool: 'edit_file',
    args: { path: '${ROOT}/a.txt', edits: [{ oldText: '', newText: 'x' }] },
    relation: 'different',
    ours: { isError: true, text: /empty oldText; nothing was changed/ },
    row: 'Empty `oldText`',
    leavesOtherFiles: true,
  },
  {
    what: 'a directory',
    tool: 'create_directory',
    args: { path: '${ROOT}/p/q/r' },
    relation: 'different',
    ours: { text: 'Created ${ROOT}/p/q/r' },
    row: 'Text of writing tools',
  },
  {
    what: 'a directory that is there',
    tool: 'create_directory',
    args: { path: '${ROOT}/sub' },
    relation: 'different',
    ours: { text: 'Exists already: ${ROOT}/sub' },
    row: 'Text of writing tools',
  },
  { what: 'a listing', tool: 'list_directory', args: { path: '${ROOT}' }, relation: 'same lines' },
  {
    what: 'a listing of a file',
    tool: 'list_directory',
    args: { path: '${ROOT}/a.txt' },
    relation: 'both fail',
  },
  {
    what: 'a listing with sizes',
    tool: 'list_directory_with_sizes',
    args: { path: '${ROOT}' },
    relation: 'same lines',
  },
  {
    what: 'a listing by size',
    tool: 'list_directory_with_sizes',
    args: { path: '${ROOT}', sortBy: 'size' },
    relation: 'same lines',
  },
  { what: 'a tree', tool: 'directory_tree', args: { path: '${ROOT}' }, relation: 'same lines' },
  {
    what: 'a tree without some',
    tool: 'directory_tree',
    args: { path: '${ROOT}', excludePatterns: ['deep', '*.txt'] },
    relation: 'same lines',
  },
  {
    what: 'a move',
    tool: 'move_file',
    args: { source: '${ROOT}/a.txt', destination: '${ROOT}/sub/moved.txt' },
    relation: 'different',
    ours: { text: 'Moved ${ROOT}/a.txt to ${ROOT}/sub/moved.txt.' },
    row: 'Text of writing tools',
  },
  {
    what: 'a move onto something',
    tool: 'move_file',
    args: { source: '${ROOT}/a.txt', destination: '${ROOT}/crlf.txt' },
    relation: 'both fail',
  },
  {
    what: 'a search of the first level',
    tool: 'search_files',
    args: { path: '${ROOT}', pattern: '*.txt' },
    relation: 'different',
    ours: { text: /^4 matches in \d+ entries\.\na\.txt\ncrlf\.txt\nlatin1\.txt\ntwice\.txt$/ },
    row: 'Text of `search_files`',
  },
  {
    what: 'a search of all levels',
    tool: 'search_files',
    args: { path: '${ROOT}', pattern: '**/*.js' },
    relation: 'different',
    ours: { text: /^2 matches in \d+ entries\.\nsub\/b\.js\nsub\/deep\/c\.js$/ },
    row: 'Text of `search_files`',
  },
  {
    what: 'a search by a plain name',
    tool: 'search_files',
    args: { path: '${ROOT}', pattern: 'c.js' },
    relation: 'different',
    ours: { text: /^1 matches in \d+ entries\.\nsub\/deep\/c\.js$/ },
    row: '`search_files` with a plain name',
  },
  {
    what: 'facts of a file',
    tool: 'get_file_info',
    args: { path: '${ROOT}/a.txt' },
    relation: 'different',
    ours: {
      text: /^path: \$\{ROOT\}\/a\.txt\nisDirectory: false\nisFile: true\npermissions: \d{3}\nsize: 18\ncreated: \d{4}-\d\d-\d\dT/,
    },
    row: 'Text of `get_file_info`',
  },
  {
    what: 'facts of what is missing',
    tool: 'get_file_info',
    args: { path: '${ROOT}/none' },
    relation: 'both fail',
  },
  { what: 'the allowed directories', tool: 'list_allowed_directories', args: {}, relation: 'same' },
  {
    what: 'a tool that is none',
    tool: 'nope',
    args: {},
    relation: 'both fail',
    row: 'Unknown tool',
  },
];
