import { relative } from 'node:path';

/** The failed tests of a JSON report of vitest, a line each: the file from `root`, the name of the test and the first line of what it said. */
export function failuresOf({ testResults }, root) {
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(root, name).replaceAll('\\', '/');
    const failed = assertionResults.filter((result) => result.status === 'failed');
    // A file that could not be loaded, or a failed hook.
    if (failed.length === 0 && status === 'failed') return [`${file}: ${firstLine(message)}`];
    return failed.map(
      ({ fullName, failureMessages }) =>
        `${file} > ${fullName.trim()}: ${firstLine(failureMessages[0])}`,
    );
  });
}

const firstLine = (text = '') => text.split('\n', 1)[0];
