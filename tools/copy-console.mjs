// node ../../tools/copy-console.mjs: apps/console/bundle, the built web console, -> bundle/console, which is shipped with the agent.
import { cpSync } from 'node:fs';
import { join } from 'node:path';

cpSync(join(import.meta.dirname, '../apps/console/bundle'), 'bundle/console', { recursive: true });
