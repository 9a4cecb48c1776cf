// node ../../tools/copy-console.mjs: apps/console/bundle, the built web console, -> bundle/console, which is shipped with the agent.
import { join } from 'node:path';
import { replaceSite } from './replace-site.mjs';

replaceSite(join(import.meta.dirname, '../apps/console/bundle'), 'bundle/console');
