import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A link of a page to a test: its text is the name of a test or of a group of tests in the file, with `…` for what comes from an example, and without an `S-…` before it. */
interface Proof {
  readonly title: string;
  /** Relative to the repository. */
  readonly file: string;
}

export interface Page {
  /** Folder of the page; links are relative to it. */
  readonly folder: string;
  readonly text: string;
}

const UNPROVED = /\bunproved\b/i;
/** Placeholder of a test title for a part of an example. */
const EXAMPLE = String.raw`(?:%(?:\d+\$)?\w|\$[\w.]+)`;

/** Returns the problems of a page: links to tests that do not exist or do not run, and statements without a link. */
export function proofProblems(repository: string, page: Page): readonly string[] {
  return [
    ...proofsOf(page).flatMap((proof) => linkProblems(repository, proof)),
    ...statementsOf(page.text).flatMap((statement) => statementProblems(page, statement)),
  ];
}

function proofsOf({ folder, text }: Page): readonly Proof[] {
  return [...text.matchAll(/\[([^\]]+)\]\(([^)#]+\.(?:test|contract)\.ts)\)/g)].map(
    ([, title = '', link = '']) => ({
      title: title.replaceAll('\\|', '|'),
      file: join(folder, link),
    }),
  );
}

function linkProblems(repository: string, { title, file }: Proof): readonly string[] {
  const path = join(repository, file);
  if (!existsSync(path)) return [`${file} does not exist`];
  const declaration = declarationOf(title, readFileSync(path, 'utf8'));
  if (declaration === undefined) return [`${file} has no test "${title}"`];
  return /\.(?:skip|todo|fails)\b/.test(declaration) ? [`${file} does not run "${title}"`] : [];
}

/** The declaration of a test or group up to its name; `test.each` has its examples in between. */
function declarationOf(title: string, source: string): string | undefined {
  const name = title.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`).replaceAll('…', EXAMPLE);
  const plain = source.replaceAll(/\\(['"`\\])/g, '$1');
  const place = plain.search(new RegExp(`\\(\\s*(['"\`])(?:S-\\d+: )?${name}\\1,\\s`));
  if (place < 0) return undefined;
  return plain
    .slice(0, place)
    .split(/^ *(?=(?:test|describe|it)\b)/m)
    .at(-1);
}

/** Returns the statements of a page: its numbered sections, and the rows of its tables. */
function statementsOf(text: string): readonly string[] {
  const sections = text.split(/^(?=## )/m).filter((section) => /^## \d+\./.test(section));
  const rows = [...text.matchAll(/^\| .*\|$/gm)]
    .map(([row]) => row)
    .filter((row) => !/^\|[ :|-]+\|$/.test(row));
  const headers = [...text.matchAll(/^(\| .*\|)\n\|[ :-]*-/gm)].map(([, header]) => header);
  return [...sections, ...rows.filter((row) => !headers.includes(row))];
}

function statementProblems({ folder }: Page, statement: string): readonly string[] {
  if (UNPROVED.test(statement) || proofsOf({ folder, text: statement }).length > 0) return [];
  return [`without a proof: ${statement.split('\n')[0]?.slice(0, 100)}`];
}

/** The page at a path relative to the repository. */
export function readPage(repository: string, path: string): Page {
  return { folder: dirname(path), text: readFileSync(join(repository, path), 'utf8') };
}
