/** A variable of a URI template. */
export interface TemplateVariable {
  readonly name: string;
  /** Whether the URI can do without it, as in a query. */
  readonly isOptional: boolean;
}

interface Operator {
  readonly first: string;
  readonly separator: string;
  readonly isNamed: boolean;
  /** Whether reserved characters such as `/` stay as they are. */
  readonly keepsReserved: boolean;
}

const SIMPLE: Operator = { first: '', separator: ',', isNamed: false, keepsReserved: false };
const OPERATORS: { readonly [sign: string]: Operator } = {
  '+': { ...SIMPLE, keepsReserved: true },
  '#': { ...SIMPLE, first: '#', keepsReserved: true },
  '.': { ...SIMPLE, first: '.', separator: '.' },
  '/': { ...SIMPLE, first: '/', separator: '/' },
  ';': { ...SIMPLE, first: ';', separator: ';', isNamed: true },
  '?': { ...SIMPLE, first: '?', separator: '&', isNamed: true },
  '&': { ...SIMPLE, first: '&', separator: '&', isNamed: true },
};
const EXPRESSION = /\{([+#./;?&]?)([^{}]*)\}/g;

/** Returns the variables of a URI template in their order, each once. */
export function templateVariables(template: string): readonly TemplateVariable[] {
  const found = new Map<string, TemplateVariable>();
  for (const [, sign = '', list = ''] of template.matchAll(EXPRESSION))
    for (const name of namesIn(list))
      if (!found.has(name)) found.set(name, { name, isOptional: sign === '?' || sign === '&' });
  return [...found.values()];
}

/**
 * Returns the URI of a template with text values. Empty values are left out.
 * @see https://www.rfc-editor.org/rfc/rfc6570#section-3.2
 */
export function expandTemplate(
  template: string,
  values: { readonly [name: string]: string },
): string {
  return template.replaceAll(EXPRESSION, (_expression, sign: string, list: string) => {
    const { first, separator, isNamed, keepsReserved } = OPERATORS[sign] ?? SIMPLE;
    const parts = namesIn(list).flatMap((name) => {
      const value = Object.hasOwn(values, name) ? values[name] : undefined;
      if (value === undefined || value === '') return [];
      const encoded = keepsReserved ? encodeURI(value) : encodeAll(value);
      return [isNamed ? `${name}=${encoded}` : encoded];
    });
    return parts.length === 0 ? '' : first + parts.join(separator);
  });
}

/** Returns the names of an expression without their modifiers. */
function namesIn(list: string): readonly string[] {
  return list
    .split(',')
    .map((name) => name.replace(/\*$|:\d+$/, '').trim())
    .filter((name) => name !== '');
}

function encodeAll(value: string): string {
  return encodeURIComponent(value).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
