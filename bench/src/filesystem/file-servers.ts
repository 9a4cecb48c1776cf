import { fileURLToPath } from 'node:url';

/** A program that serves the directories in its arguments over stdio, with the tools of the official file server. */
export interface FileServer {
  readonly name: string;
  readonly program: string;
}

export const fileServers: readonly FileServer[] = [
  { name: 'signalbox', program: pathOf('../../../servers/filesystem/bin.js') },
  { name: 'official', program: pathOf('../../../tests/peers/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js') },
];

function pathOf(relative: string): string {
  return fileURLToPath(new URL(relative, import.meta.url));
}
