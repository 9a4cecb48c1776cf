import { DefinitionError, type DefinitionProblem } from '../ports/server-definitions.ts';
import { pointerPart } from './shown-definition.ts';

const PLACE = /^(?:\.[\w$-]+|\[\d+\]|\["(?:[^"\\]|\\.)*"\])*/;
const PLACE_PART = /\.([\w$-]+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/g;

/** Converts problems that begin with the JSON path `mcpServers.NAME`. */
export function definitionProblems(
  name: string,
  problems: readonly string[],
): readonly DefinitionProblem[] {
  const start = `mcpServers.${name}`;
  return problems.map((problem) => {
    if (!problem.startsWith(start)) return { path: '', message: problem };
    const rest = problem.slice(start.length);
    const [place = ''] = PLACE.exec(rest) ?? [];
    return {
      path: pointerOf(place),
      message: rest.slice(place.length).replace(/^:? /, ''),
    };
  });
}

/** Throws for problems of a definition. @throws DefinitionError */
export function refuseProblems(problems: readonly DefinitionProblem[]): void {
  if (problems.length === 0) return;
  const texts = problems.map(({ path, message }) => `${path === '' ? '/' : path}: ${message}`);
  throw new DefinitionError('invalid_definition', texts.join('; '), problems);
}

function pointerOf(place: string): string {
  return [...place.matchAll(PLACE_PART)]
    .map(([, member, index, quoted]) => member ?? index ?? (JSON.parse(quoted ?? '""') as string))
    .map((part) => `/${pointerPart(part)}`)
    .join('');
}
