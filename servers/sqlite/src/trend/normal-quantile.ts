/** Returns the value below which a standard normal variable lies with probability `p`, 0.5 to 0.9999. */
export function normalQuantile(p: number): number {
  let [low, high] = [0, 5];
  for (let round = 0; round < 60; round += 1) {
    const middle = (low + high) / 2;
    if (normalProbability(middle) < p) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Sums the Taylor series of the distribution function, which converges fast up to 5. */
function normalProbability(x: number): number {
  let [term, sum] = [x, x];
  for (let index = 1; index < 100; index += 1) {
    term *= (x * x) / (2 * index + 1);
    sum += term;
  }
  return 0.5 + (sum * Math.exp((-x * x) / 2)) / Math.sqrt(2 * Math.PI);
}
