import type { ViteUserConfig } from 'vitest/config';
import tests from './vitest.config.ts';

const config = tests as ViteUserConfig;

/** Writes the pictures of docs/images instead of running the tests. */
export default { ...config, test: { ...config.test, include: ['src/screenshots.ts'] } };
