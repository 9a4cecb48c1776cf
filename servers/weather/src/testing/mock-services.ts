import { mockResponse } from '../mock/mock-services.ts';
import { sendJson, type Answer } from './upstream.ts';

/** Answers like both weather services with made-up weather of `now`; default: of the moment. */
export function mockServices(now: () => Date = () => new Date()): Answer {
  return ({ url, response }) => {
    const base = `http://${response.req.headers.host ?? 'localhost'}/`;
    const { status = 200, body } = mockResponse(
      new URL(url.pathname + url.search, base),
      base,
      now(),
    );
    sendJson(response, body, status);
  };
}
