export interface RunView {
  readonly id: string;
  readonly status: string;
  readonly last_seq: number;
  readonly inbox: readonly { readonly id: string }[];
}

/** @throws Error for any status but 2xx */
export async function getJson<T>(url: string): Promise<T> {
  return answerOf(await fetch(url));
}

/** @throws Error for any status but 2xx */
export async function postJson<T>(url: string, body: object): Promise<T> {
  return answerOf(
    await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  );
}

async function answerOf<T>(response: Response): Promise<T> {
  if (!response.ok)
    throw new Error(
      `${response.url} was answered with ${String(response.status)}: ${await response.text()}`,
    );
  // The caller names what the endpoint is documented to answer.
  return (await response.json()) as T;
}
