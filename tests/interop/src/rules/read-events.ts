export interface ServerEvent {
  readonly event?: string;
  readonly id?: string;
  readonly retry?: string;
  readonly data: string;
}

/**
 * Parses the events of a response, in the subset of the format that tests need: LF only, one data
 * line per event.
 */
export async function* readEvents(response: Response): AsyncGenerator<ServerEvent> {
  if (response.body === null) return;
  let rest = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = block.split('\n').filter((line) => !line.startsWith(':'));
      if (fields.length > 0)
        yield {
          data: '',
          ...(Object.fromEntries(
            fields.map((line) => [
              line.slice(0, line.indexOf(':')),
              line.slice(line.indexOf(':') + 1).replace(/^ /, ''),
            ]),
          ) as object),
        };
    }
  }
}
