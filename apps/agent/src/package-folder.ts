import { dirname } from 'node:path';

/** Folder of the package of the agent: the parent of `src` and, in the built program, of `bundle`. */
export const PACKAGE_FOLDER = dirname(import.meta.dirname);
