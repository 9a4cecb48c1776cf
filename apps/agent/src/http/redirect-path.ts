/** Path of the redirects of logins, below the public address of the service. */
export const REDIRECT_PATH = '/v1/oauth/callback';
