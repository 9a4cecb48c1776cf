/** An error response of an OAuth endpoint. */
export class OAuthError extends Error {
  readonly error: string;
  readonly status: number;
  readonly headers: { readonly [name: string]: string };

  constructor(
    error: string,
    description: string,
    { status = 400, headers = {} }: Partial<Pick<OAuthError, 'status' | 'headers'>> = {},
  ) {
    super(description);
    this.name = 'OAuthError';
    this.error = error;
    this.status = status;
    this.headers = headers;
  }
}
