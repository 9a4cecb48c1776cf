import tests from './vitest.config.ts';

/** Writes the pictures of docs/images instead of running the tests. */
export default { ...tests, test: { ...tests.test, include: ['src/screenshots.ts'] } };
