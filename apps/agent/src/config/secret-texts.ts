/** Mark that is shown in place of a secret. */
export const SECRET_MARK = '***';

/** Returns the text that is shown in place of a secret. */
type Hide = (secret: string) => string;

const mark: Hide = () => SECRET_MARK;

/** A single reference, also after an authentication scheme. The name of a variable is no secret; a default value can be. */
const ONLY_REFERENCE = /^(?:(?:bearer|basic|token) )?\$\{(?:env:|input:)?[\w.-]+\}$/i;

const SECRET_NAME =
  /(?:^|[-_.])(?:api[-_]?key|key|token|secret|pass(?:word|wd|phrase)?|pwd|credentials?|auth(?:orization)?|bearer|cookie|dsn|jwt|pat|signature|sig)$/i;

/** Beginnings of the tokens of widespread services. */
const KNOWN_TOKEN =
  /^(?:sk-|pk_|rk_|gh[pousr]_|github_pat_|glpat-|xox[abeoprs]-|AKIA|ASIA|AIza|ya29\.|hf_|npm_|eyJ[\w-]+\.)/;

const HEX_SECRET = /^[0-9a-f-]{32,}$/i;
const MIXED_TEXT = /^[\w+=.~-]{24,}$/;

const URL_PARTS = /^([a-z][a-z0-9+.-]*:\/\/)(?:([^/?#]*)@)?([^/?#]*)([^?#]*)(\?[^#]*)?(#[^]*)?$/i;

/** Returns a value that is a secret, such as that of a header, as it may be shown. */
export function shownSecret(value: string, hide: Hide = mark): string {
  return value === '' || ONLY_REFERENCE.test(value) ? value : hide(value);
}

/** Returns the arguments of a command with those that look like secrets hidden. */
export function shownArguments(args: readonly string[], hide: Hide = mark): readonly string[] {
  return args.map((argument, index) => shownArgument(argument, args[index - 1], hide));
}

/** Minimum length of a secret in an argument. Shorter ones, as in `--auth none`, are common words. */
const MIN_SECRET_LENGTH = 8;

/** Returns the parts of arguments that look like secrets, to be masked in other texts. */
export function secretArguments(args: readonly string[]): readonly string[] {
  const secrets: string[] = [];
  shownArguments(args, (secret) => {
    secrets.push(secret);
    return SECRET_MARK;
  });
  return secrets.filter(({ length }) => length >= MIN_SECRET_LENGTH);
}

/** Returns an address without its password, query values and parts of the path that look like tokens. */
export function shownUrl(url: string, hide: Hide = mark): string {
  const [, scheme, user, host = '', path = '', query = '', fragment = ''] =
    URL_PARTS.exec(url) ?? [];
  if (scheme === undefined) return shownSecret(url, hide);
  const segments = path
    .split('/')
    .map((segment) => (looksLikeToken(segment) ? hide(segment) : segment));
  const parameters = query.slice(1).split('&');
  const shownParameters = parameters.map((parameter) => {
    const valueAt = parameter.indexOf('=') + 1;
    return parameter.slice(0, valueAt) + shownSecret(parameter.slice(valueAt), hide);
  });
  return [
    scheme,
    user === undefined ? '' : `${shownUser(user, hide)}@`,
    host,
    segments.join('/'),
    query === '' ? '' : `?${shownParameters.join('&')}`,
    fragment === '' ? '' : `#${shownSecret(fragment.slice(1), hide)}`,
  ].join('');
}

/** Returns the user of an address. A name without a password can be a token. */
function shownUser(user: string, hide: Hide): string {
  const [, name = '', password = ''] = /^([^:]*):([^]+)$/.exec(user) ?? [];
  if (password === '' || looksLikeToken(name)) return shownSecret(user, hide);
  return `${name}:${shownSecret(password, hide)}`;
}

function shownArgument(argument: string, previous: string | undefined, hide: Hide): string {
  const [, flag] = /^--?([\w.-]+)$/.exec(previous ?? '') ?? [];
  if (flag !== undefined && !argument.startsWith('-') && isSecretName(flag))
    return shownSecret(argument, hide);
  const [, start = '', name = '', value] = /^((?:--?)?([\w.-]+)=)([^]*)$/.exec(argument) ?? [];
  if (value !== undefined)
    return start + (isSecretName(name) ? shownSecret(value, hide) : shownText(value, hide));
  const [, header = '', headerName = '', content] =
    /^(([A-Za-z][\w-]*):\s*)(?!\/)([^]+)$/.exec(argument) ?? [];
  if (content !== undefined && (isHeaderFlag(flag) || isSecretName(headerName)))
    return header + shownSecret(content, hide);
  return shownText(argument, hide);
}

/** Returns a text that may be an address or a token as it may be shown. */
function shownText(text: string, hide: Hide): string {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return shownUrl(text, hide);
  return looksLikeToken(text) ? hide(text) : text;
}

function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name.replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2'));
}

function isHeaderFlag(flag: string | undefined): boolean {
  return flag === 'H' || flag === 'header';
}

function looksLikeToken(text: string): boolean {
  if (KNOWN_TOKEN.test(text)) return text.length >= 12;
  if (HEX_SECRET.test(text)) return true;
  return MIXED_TEXT.test(text) && /[a-z]/.test(text) && /[A-Z]/.test(text) && /\d/.test(text);
}
