import { readTarget, type Change } from './classify-change.ts';
import { RefusedQueryError, isSymbol, wordOf } from './statement-tokens.ts';
import type { Token } from './tokenize.ts';

const OBJECTS: ReadonlySet<string> = new Set(['table', 'index', 'view', 'trigger']);
/** Modules of virtual tables that keep their data in the database and open no file. */
const MODULES: readonly string[] = [
  'fts3',
  'fts4',
  'fts4aux',
  'fts5',
  'fts5vocab',
  'geopoly',
  'rtree',
  'rtree_i32',
];

/**
 * Classifies a CREATE, ALTER or DROP.
 * @throws RefusedQueryError for temporary objects, modules that are not built in, and names of SQLite itself
 */
export function checkDefinition(tokens: readonly Token[]): Change {
  const verb = wordOf(tokens[0]);
  const [, second] = tokens;
  if (['temp', 'temporary'].includes(wordOf(second)))
    throw new RefusedQueryError(
      'Temporary objects are not allowed: they would not outlive the call.',
    );
  const isVirtual = wordOf(second) === 'virtual';
  const skipped = isVirtual || wordOf(second) === 'unique' ? 2 : 1;
  const object = wordOf(tokens[skipped]);
  if (!OBJECTS.has(object))
    throw new RefusedQueryError(
      `${verb.toUpperCase()} ${(tokens[skipped]?.text ?? '').slice(0, 40)} is not allowed; use TABLE, INDEX, VIEW or TRIGGER.`,
    );
  if (isVirtual) checkModule(tokens);
  const target = readTarget(skipExistence(tokens.slice(skipped + 1)));
  return { verb, object, target, effect: effectOf(verb, tokens) };
}

/** Skips `IF EXISTS` and `IF NOT EXISTS`. */
function skipExistence(tokens: readonly Token[]): readonly Token[] {
  if (wordOf(tokens[0]) !== 'if') return tokens;
  return tokens.slice(wordOf(tokens[1]) === 'not' ? 3 : 2);
}

function effectOf(verb: string, tokens: readonly Token[]): Change['effect'] {
  if (verb === 'drop') return 'destroys';
  if (verb !== 'alter') return 'adds';
  const isDrop = tokens.some(
    (token, index) => index > 2 && wordOf(token) === 'drop' && !isSymbol(tokens[index - 1], '.'),
  );
  return isDrop ? 'destroys' : 'changes';
}

function checkModule(tokens: readonly Token[]): void {
  const using = tokens.findIndex((token) => wordOf(token) === 'using');
  const module = tokens[using + 1]?.text.toLowerCase() ?? '';
  if (using === -1 || !MODULES.includes(module))
    throw new RefusedQueryError(
      `Virtual tables can use the modules ${MODULES.join(', ')}, not ${JSON.stringify(module.slice(0, 40))}.`,
    );
}
