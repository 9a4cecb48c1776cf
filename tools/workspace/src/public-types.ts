import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A declaration of a module, by the file that holds it and its name there. */
interface Declared {
  readonly file: string;
  readonly name: string;
}

interface Module {
  /** Names that other modules declare, by their name in this module. */
  readonly imported: ReadonlyMap<string, Declared>;
  readonly exported: ReadonlyMap<string, Declared>;
  /** Text of the declarations, without comments and texts. */
  readonly declarations: ReadonlyMap<string, string>;
}

const BINDINGS = /^(import|export) (?:type )?\{([^}]*)\} from ['"](\.[^'"]*)['"];$/gmu;
const DECLARATION =
  /^(export )?(?:declare )?(?:abstract )?(?:interface|type|class|function|const) (\w+)/u;

/** The bases and the body of an interface. */
const INTERFACE = /^(?:export )?interface \w+(?:<[^{]*>)?(?: extends ([^{]*))? \{\n([^]*)^\}/mu;
const BASE = /\b\w+\b/gu;
/** A member, at the indentation that the compiler writes. */
const MEMBER = /^ {4}(?:readonly )?(\w+)[?(:<]/gmu;
/** An optional property, the start of its type, and the last line of a type of several lines. */
const OPTIONAL = /^( +)(?:readonly )?(\w+)\?: (.*)(?=\n(?:\1 .*\n)*\1(\}.*)|)/gmu;

/** The declaration files of a package. */
export class PublicTypes {
  readonly #modules = new Map<string, Module>();

  /**
   * Returns the types that the public declarations of the entries mention and no entry exports, as `Name (mentioned by Other)`, sorted. A conditional type may
   * use private types of its own module, which are steps of its computation.
   */
  unexported(entries: readonly string[]): readonly string[] {
    const exported = entries.flatMap((entry) => [...this.#read(entry).exported.values()]);
    const known = new Set(exported.map(keyOf));
    const missing = exported.flatMap((declared) =>
      this.#mentionedBy(declared)
        .filter((mentioned) => !known.has(keyOf(mentioned)))
        .map(({ name }) => `${name} (mentioned by ${declared.name})`),
    );
    return [...new Set(missing)].toSorted();
  }

  /** Returns the names that several entries export. */
  repeated(entries: readonly string[]): readonly string[] {
    const keys = entries.flatMap((entry) => [...this.#read(entry).exported.values()].map(keyOf));
    return keys
      .filter((key, index) => keys.indexOf(key) !== index)
      .map((key) => key.slice(key.lastIndexOf(' ') + 1))
      .toSorted();
  }

  /**
   * Returns the number of members, inherited ones included, of the interfaces that the entries export under a name that matches. Throws for an interface
   * that extends anything but interfaces of the package.
   */
  memberCounts(entries: readonly string[], name: RegExp): ReadonlyMap<string, number> {
    const exported = entries.flatMap((entry) => [...this.#read(entry).exported.values()]);
    return new Map(
      exported
        .filter((declared) => name.test(declared.name) && this.#isInterface(declared))
        .map((declared) => [declared.name, this.#membersOf(declared).size]),
    );
  }

  /** Returns the optional members of these interfaces that do not accept `undefined`, as `Interface.member`, members of nested objects included. */
  withoutUndefined(entries: readonly string[], name: RegExp): readonly string[] {
    const exported = entries.flatMap((entry) => [...this.#read(entry).exported.values()]);
    return exported
      .filter((declared) => name.test(declared.name) && this.#isInterface(declared))
      .flatMap((declared) => {
        const text = this.#read(declared.file).declarations.get(declared.name) ?? '';
        return [...text.matchAll(OPTIONAL)]
          .filter(([, , , start = '', end = '']) => !acceptsUndefined(start, end))
          .map(([, , member = '']) => `${declared.name}.${member}`);
      });
  }

  #isInterface({ file, name }: Declared): boolean {
    return INTERFACE.test(this.#read(file).declarations.get(name) ?? '');
  }

  #membersOf({ file, name }: Declared): ReadonlySet<string> {
    const { declarations, imported } = this.#read(file);
    const [, bases = '', body = ''] = INTERFACE.exec(declarations.get(name) ?? '') ?? [];
    const own = [...body.matchAll(MEMBER)].map(([, member = '']) => member);
    const inherited = [...bases.matchAll(BASE)].flatMap(([base]) => {
      const declared = this.#origin(imported.get(base) ?? { file, name: base });
      if (!this.#isInterface(declared))
        throw new Error(`${name} extends ${base}, whose members are not known`);
      return [...this.#membersOf(declared)];
    });
    return new Set([...own, ...inherited]);
  }

  #mentionedBy({ file, name }: Declared): readonly Declared[] {
    const { declarations, exported, imported } = this.#read(file);
    const text = declarations.get(name);
    if (text === undefined) throw new Error(`${file} does not declare ${name}`);
    const isConditional = /^export type [^]* \? /u.test(text);
    const names = new Set([...text.matchAll(/\b[A-Z]\w*/gu)].map(([word]) => word));
    names.delete(name);
    return [...names].flatMap((mentioned) => {
      const declared =
        imported.get(mentioned) ??
        (declarations.has(mentioned) ? { file, name: mentioned } : undefined);
      const isStep = isConditional && declared?.file === file && !exported.has(mentioned);
      return declared === undefined || isStep ? [] : [this.#origin(declared)];
    });
  }

  /** Follows re-exports to the module that declares the name. */
  #origin(declared: Declared): Declared {
    const { declarations, exported } = this.#read(declared.file);
    const next = exported.get(declared.name);
    return declarations.has(declared.name) || next === undefined ? declared : this.#origin(next);
  }

  #read(file: string): Module {
    const known = this.#modules.get(file);
    if (known !== undefined) return known;
    const module = parse(file, readFileSync(file, 'utf8'));
    this.#modules.set(file, module);
    const exported = [...module.exported].map(
      ([name, declared]) =>
        [name, declared.file === file ? declared : this.#origin(declared)] as const,
    );
    const complete = { ...module, exported: new Map(exported) };
    this.#modules.set(file, complete);
    return complete;
  }
}

/** A function type accepts `undefined` only in parentheses: without them `undefined` belongs to its result. */
function acceptsUndefined(start: string, end: string): boolean {
  const isFunction = /^\([^(]/u.test(start) && `${start}${end}`.includes('=>');
  const last = start.endsWith('{') ? end : start;
  return start === 'unknown;' || (last.endsWith('| undefined;') && !isFunction);
}

function keyOf({ file, name }: Declared): string {
  return `${file} ${name}`;
}

function parse(file: string, source: string): Module {
  const text = source.replaceAll(/\/\*[^]*?\*\/|^\/\/.*$/gmu, '');
  const imported = new Map<string, Declared>();
  const exported = new Map<string, Declared>();
  for (const [, keyword, list = '', from = ''] of text.matchAll(BINDINGS)) {
    const names = keyword === 'import' ? imported : exported;
    for (const binding of list.split(',').map((part) => part.trim().replace(/^type /u, ''))) {
      const [name = '', alias = name] = binding.split(' as ');
      if (name !== '') names.set(alias, { file: declarationFileOf(file, from), name });
    }
  }
  const declarations = new Map<string, string>();
  for (const statement of text.split(/^(?=(?:export |declare |interface |type |import ))/mu)) {
    const [, isExported, name] = DECLARATION.exec(statement) ?? [];
    if (name === undefined) continue;
    const plain = statement.replaceAll(/'[^'\n]*'|"[^"\n]*"|`[^`$]*`/gu, "''");
    declarations.set(name, `${declarations.get(name) ?? ''}${plain}`);
    if (isExported !== undefined) exported.set(name, { file, name });
  }
  return { imported, exported, declarations };
}

function declarationFileOf(importer: string, specifier: string): string {
  return join(dirname(importer), specifier.replace(/\.(?:ts|js)$/u, '.d.ts'));
}
