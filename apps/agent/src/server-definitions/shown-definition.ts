import type { ServerEntry } from '../config/config-schema.ts';
import { SERVER_FIELDS } from '../config/config-schema.ts';
import { SECRET_MARK, shownArguments, shownSecret, shownUrl } from '../config/secret-texts.ts';
import type { DefinitionProblem } from '../ports/server-definitions.ts';

type Entry = Partial<ServerEntry>;
type Texts = { readonly [name: string]: string };
type Auth = NonNullable<NonNullable<ServerEntry['signalbox']>['auth']>;

/** Returns the known members of an entry with a mark in place of each secret. */
export function shownDefinition(entry: ServerEntry): ServerEntry {
  const known = Object.fromEntries(
    Object.entries(entry).filter(([field]) => SERVER_FIELDS.includes(field)),
  ) as ServerEntry;
  const { url, args, env, headers, signalbox } = known;
  return {
    ...known,
    ...(url === undefined ? {} : { url: shownUrl(url) }),
    ...(args === undefined ? {} : { args: [...shownArguments(args)] }),
    ...(env === undefined ? {} : { env: shownTexts(env) }),
    ...(headers === undefined ? {} : { headers: shownTexts(headers) }),
    ...(signalbox?.auth === undefined
      ? {}
      : { signalbox: { ...signalbox, auth: shownAuth(signalbox.auth) } }),
  };
}

export interface RestoredDefinition {
  readonly entry: ServerEntry;
  /** Whether a secret of the current definition was kept that is sent to an address. */
  readonly hasKeptRemoteSecrets: boolean;
  readonly problems: readonly DefinitionProblem[];
}

/** Replaces the marks in a definition with the secrets in the same places of the current one. */
export function restoreSecrets(
  given: ServerEntry,
  current: ServerEntry | undefined,
): RestoredDefinition {
  const restoring = new Restoring();
  const { url, args, env, headers, signalbox } = given;
  const before: Entry = current ?? {};
  const entry: ServerEntry = {
    ...given,
    ...(url === undefined ? {} : { url: restoring.remote('/url', url, shownUrl, before.url) }),
    ...(args === undefined ? {} : { args: restoring.args(args, before.args ?? []) }),
    ...(env === undefined ? {} : { env: restoring.texts('/env', env, before.env) }),
    ...(headers === undefined
      ? {}
      : { headers: restoring.remoteTexts('/headers', headers, before.headers) }),
    ...(signalbox?.auth === undefined
      ? {}
      : {
          signalbox: {
            ...signalbox,
            auth: restoring.auth(signalbox.auth, before.signalbox?.auth),
          },
        }),
  };
  const { hasKeptRemoteSecrets, problems } = restoring;
  return { entry, hasKeptRemoteSecrets, problems };
}

function shownTexts(texts: Texts): { [name: string]: string } {
  return Object.fromEntries(
    Object.entries(texts).map(([name, value]) => [name, shownSecret(value)]),
  );
}

function shownAuth({ clientSecret, identityProvider, ...rest }: Auth): Auth {
  return {
    ...rest,
    ...(clientSecret === undefined ? {} : { clientSecret: shownSecret(clientSecret) }),
    ...(identityProvider === undefined
      ? {}
      : {
          identityProvider: {
            ...identityProvider,
            ...(identityProvider.clientSecret === undefined
              ? {}
              : { clientSecret: shownSecret(identityProvider.clientSecret) }),
          },
        }),
  };
}

class Restoring {
  readonly problems: DefinitionProblem[] = [];
  hasKeptRemoteSecrets = false;

  text(path: string, given: string, shown: (text: string) => string, before?: string): string {
    if (!given.includes(SECRET_MARK)) return given;
    if (before !== undefined && shown(before) === given) return before;
    this.problems.push({
      path,
      message: `${SECRET_MARK} stands for a stored secret, and there is none in this place; write the value itself`,
    });
    return given;
  }

  remote(path: string, given: string, shown: (text: string) => string, before?: string): string {
    const restored = this.text(path, given, shown, before);
    if (restored !== given) this.hasKeptRemoteSecrets = true;
    return restored;
  }

  texts(path: string, given: Texts, before: Texts = {}): { [name: string]: string } {
    return Object.fromEntries(
      Object.entries(given).map(([name, value]) => [
        name,
        this.text(`${path}/${pointerPart(name)}`, value, shownSecret, own(before, name)),
      ]),
    );
  }

  remoteTexts(path: string, given: Texts, before: Texts = {}): { [name: string]: string } {
    return Object.fromEntries(
      Object.entries(given).map(([name, value]) => [
        name,
        this.remote(`${path}/${pointerPart(name)}`, value, shownSecret, own(before, name)),
      ]),
    );
  }

  /** Restores arguments that are shown alike in their order, so that others can be added and removed. */
  args(given: readonly string[], before: readonly string[]): string[] {
    const hidden = Map.groupBy(
      shownArguments(before).map((shown, index) => ({ shown, text: before[index] ?? '' })),
      ({ shown }) => shown,
    );
    const counts = Map.groupBy(given, (argument) => argument);
    return given.map((argument, index) => {
      if (!argument.includes(SECRET_MARK)) return argument;
      const stored = hidden.get(argument) ?? [];
      // With another number of equal marks it is unknown which of them was removed.
      const isClear = stored.length === counts.get(argument)?.length;
      const next = isClear ? stored.shift() : undefined;
      if (isClear) counts.get(argument)?.pop();
      return this.text(`/args/${index}`, argument, () => argument, next?.text);
    });
  }

  auth(given: Auth, before: Auth | undefined): Auth {
    const { clientSecret, identityProvider } = given;
    const place = '/signalbox/auth';
    return {
      ...given,
      ...(clientSecret === undefined
        ? {}
        : {
            clientSecret: this.remote(
              `${place}/clientSecret`,
              clientSecret,
              shownSecret,
              before?.clientSecret,
            ),
          }),
      ...(identityProvider?.clientSecret === undefined
        ? {}
        : {
            identityProvider: {
              ...identityProvider,
              clientSecret: this.remote(
                `${place}/identityProvider/clientSecret`,
                identityProvider.clientSecret,
                shownSecret,
                before?.identityProvider?.clientSecret,
              ),
            },
          }),
    };
  }
}

function own(texts: Texts, name: string): string | undefined {
  return Object.hasOwn(texts, name) ? texts[name] : undefined;
}

/** Escapes a name for a JSON pointer. @see https://www.rfc-editor.org/rfc/rfc6901 */
export function pointerPart(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
