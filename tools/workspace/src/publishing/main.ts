// npm run publishing-files: writes the files that follow from the package.json and server.json files.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { publishingFiles } from './publishing-files.ts';

const root = join(import.meta.dirname, '../../../..');
for (const [path, text] of publishingFiles(root)) writeFileSync(join(root, path), text);
