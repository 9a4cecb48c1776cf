import type { EntryProblem } from './entry-problems.ts';

/** Members of the authorization of a server that depend on each other. */
export interface AuthMembers {
  readonly issuer?: string | undefined;
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  readonly privateKeyFile?: string | undefined;
  readonly authMethod?: string | undefined;
  readonly grant?: 'user' | 'client-credentials' | 'jwt-bearer' | 'enterprise-managed' | undefined;
  readonly assertionFile?: string | undefined;
  readonly idTokenFile?: string | undefined;
  readonly identityProvider?: object | undefined;
}

/** Grants that need a registered client. */
const NEEDS_CLIENT: ReadonlySet<string> = new Set([
  'client-credentials',
  'jwt-bearer',
  'enterprise-managed',
]);

const OF_CLIENT = ['issuer', 'clientSecret', 'privateKeyFile', 'authMethod'] as const;

/** Files and members by the grant that needs them. */
const OF_GRANT = {
  assertionFile: 'jwt-bearer',
  idTokenFile: 'enterprise-managed',
  identityProvider: 'enterprise-managed',
} as const;

/** Returns the contradictions in the authorization of a server. */
export function authProblems(auth: AuthMembers): readonly EntryProblem[] {
  const { clientId, issuer, grant = 'user' } = auth;
  const problems: EntryProblem[] = [];
  const add = (member: string, problem: string): void =>
    void problems.push({ location: [member], problem });
  if (clientId === undefined) {
    for (const member of OF_CLIENT)
      if (auth[member] !== undefined) add(member, 'is for a client; add its clientId');
    if (NEEDS_CLIENT.has(grant)) add('clientId', `is missing; the grant ${grant} needs a client`);
  } else if (issuer === undefined)
    add('issuer', 'is missing; it names the authorization server that knows the clientId');
  for (const [member, needed] of Object.entries(OF_GRANT) as [keyof typeof OF_GRANT, string][]) {
    if (auth[member] === undefined && grant === needed)
      add(member, `is missing; the grant ${grant} needs it`);
    if (auth[member] !== undefined && grant !== needed) add(member, `is for the grant ${needed}`);
  }
  return problems;
}
