/** Event of the window after the difference between the clocks has changed. */
export const CLOCK_CHANGED = 'signalbox:clock';
/** Differences up to this one may come from a slow network, and count as none. */
const TOLERANCE_MS = 30_000;

let offsetMs = 0;

/** Returns the time by the clock of the service, which makes the times that the page compares it with. The clock of the machine of the reader may be wrong. */
export function serviceNow(): number {
  return Date.now() + offsetMs;
}

/** Sends a request, and sets the clock to the date of its response. */
export async function fetchWithClock(request: Request): Promise<Response> {
  const response = await fetch(request);
  // The date of a response in the cache of the browser is an old one.
  if (
    !response.headers.has('cache-control') ||
    response.headers.get('cache-control') === 'no-store'
  )
    setClock(Date.parse(response.headers.get('date') ?? ''));
  return response;
}

function setClock(time: number): void {
  if (Number.isNaN(time)) return;
  const difference = time - Date.now();
  const next = Math.abs(difference) > TOLERANCE_MS ? difference : 0;
  if (Math.abs(next - offsetMs) <= TOLERANCE_MS) return;
  offsetMs = next;
  dispatchEvent(new Event(CLOCK_CHANGED));
}
