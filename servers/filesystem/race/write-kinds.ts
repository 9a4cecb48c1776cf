import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { JsonObject } from '@signalbox/mcp-core';
import { inside, outside, secret } from './read-kinds.ts';

/** A kind of call that writes in the swapped directory. */
export interface WriteKind {
  readonly name: string;
  /** Makes what the call needs and removes what it makes, at a path of the directory inside that no swap changes. */
  readonly prepare?: (directory: string, number: number) => void;
  readonly tool: string;
  readonly args: (number: number) => JsonObject;
  /** Matches the changes outside that only such a call makes: `added`, `changed` or `removed`, and the path. */
  readonly isChange: RegExp;
}

/** Number of names that the calls use in turn, so that directories stay small. */
export const names = 16;

/** Files inside, before the attack. */
export const insideFiles: { readonly [path: string]: string } = {
  'd/x.txt': inside,
  'd/e.txt': inside,
  'd/replaced.txt': inside,
  'd/log.txt': `${inside}\n`,
  'd/inner.txt': inside,
  'd/README.md': inside,
  'd/shape': inside,
  'd/deep/inner.txt': inside,
};

/**
 * Files outside: `x.txt`, which the reads show and no write changes, and a victim for every call that
 * edits, moves or deletes.
 */
export const outsideFiles: { readonly [path: string]: string } = {
  'x.txt': outside,
  'e.txt': secret,
  'replaced.txt': secret,
  'log.txt': secret,
  'outside-only.txt': secret,
  'README.md': secret,
  'shape/x.txt': secret,
  ...Object.fromEntries(
    Array.from({ length: names }, (_, number) => number).flatMap((number): [string, string][] => [
      [`edit-${number}.txt`, `one\n${secret}`],
      [`move-${number}.txt`, secret],
      [`doomed-${number}.txt`, secret],
      [`deep/doomed-${number}/x.txt`, secret],
    ]),
  ),
};

/** Every kind of call that writes. */
export const writeKinds: readonly WriteKind[] = [
  {
    name: 'write_file, a replacement',
    tool: 'write_file',
    args: () => ({ path: 'd/replaced.txt', content: inside }),
    isChange: /^changed replaced\.txt$/,
  },
  {
    name: 'write_file, a new file',
    prepare: (directory, number) => {
      remove(directory, `new-${number}.txt`);
    },
    tool: 'write_file',
    args: (number) => ({ path: `d/new-${number}.txt`, content: inside }),
    isChange: /^added new-\d+\.txt$/,
  },
  {
    name: 'append_file',
    tool: 'append_file',
    args: () => ({ path: 'd/log.txt', content: `${inside}\n` }),
    isChange: /^changed log\.txt$/,
  },
  {
    name: 'edit_file',
    prepare: (directory, number) => {
      write(directory, `edit-${number}.txt`, 'one');
    },
    tool: 'edit_file',
    args: (number) => ({
      path: `d/edit-${number}.txt`,
      edits: [{ oldText: 'one', newText: 'two' }],
    }),
    isChange: /^changed edit-\d+\.txt$/,
  },
  {
    name: 'copy_file',
    prepare: (directory, number) => {
      remove(directory, `copied-${number}.txt`);
    },
    tool: 'copy_file',
    args: (number) => ({ source: 'd/x.txt', destination: `d/copied-${number}.txt` }),
    isChange: /^added copied-\d+\.txt$/,
  },
  {
    name: 'move_file',
    prepare: (directory, number) => {
      write(directory, `move-${number}.txt`, inside);
      remove(directory, `moved-${number}.txt`);
    },
    tool: 'move_file',
    args: (number) => ({
      source: `d/move-${number}.txt`,
      destination: `d/moved-${number}.txt`,
    }),
    isChange: /^(?:added moved|removed move)-\d+\.txt$/,
  },
  {
    name: 'create_directory',
    prepare: (directory, number) => {
      remove(directory, `deep/made-${number}`);
    },
    tool: 'create_directory',
    args: (number) => ({ path: `d/deep/made-${number}` }),
    isChange: /^added deep\/made-\d+$/,
  },
  {
    name: 'delete_file, a file',
    prepare: (directory, number) => {
      write(directory, `doomed-${number}.txt`, inside);
    },
    tool: 'delete_file',
    args: (number) => ({ path: `d/doomed-${number}.txt` }),
    isChange: /^removed doomed-\d+\.txt$/,
  },
  {
    name: 'delete_file, a tree',
    prepare: (directory, number) => {
      write(directory, `deep/doomed-${number}/x.txt`, inside);
    },
    tool: 'delete_file',
    args: (number) => ({ path: `d/deep/doomed-${number}`, recursive: true }),
    isChange: /^removed deep\/doomed-\d+\/x\.txt$/,
  },
];

function write(directory: string, name: string, content: string): void {
  mkdirSync(path.dirname(path.join(directory, name)), { recursive: true });
  writeFileSync(path.join(directory, name), content);
}

function remove(directory: string, name: string): void {
  rmSync(path.join(directory, name), { recursive: true, force: true });
}
