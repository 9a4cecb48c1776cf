import { fileURLToPath } from 'node:url';

/** A program that serves the directories in its arguments over stdio, with the tools of the official file server. */
export interface FileServer {
  readonly name: string;
  readonly program: string;
  /** Options with which the server answers 1 MiB at once; by default ours answers long files in pieces. */
  readonly wholeFiles: readonly string[];
}

export const fileServers: readonly FileServer[] = [
  {
    name: 'signalbox',
    program: pathOf('../../../servers/filesystem/bin.js'),
    wholeFiles: ['--max-read-bytes', '1572864', '--max-result-bytes', '3145728'],
  },
  {
    name: 'official',
    program: pathOf(
      '../../../tests/peers/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js',
    ),
    wholeFiles: [],
  },
];

function pathOf(relative: string): string {
  return fileURLToPath(new URL(relative, import.meta.url));
}
