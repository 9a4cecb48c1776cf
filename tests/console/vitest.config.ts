import { join } from 'node:path';
import { mergeConfig } from 'vitest/config';
import { shared } from '../../vitest.shared.ts';

export default mergeConfig(shared, {
  test: { globalSetup: join(import.meta.dirname, 'src/support/global-setup.ts') },
});
