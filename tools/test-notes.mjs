/** The notes that tests left in `meta.note` for the end of `npm test`, from a JSON report of vitest; each with the name of its test. */
export function notesOf({ testResults }) {
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  return tests
    .filter(({ meta }) => meta?.note !== undefined)
    .map(({ fullName, meta }) => `note: ${fullName}: ${meta.note}`);
}
