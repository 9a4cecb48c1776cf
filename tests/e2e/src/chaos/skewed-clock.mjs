// A module for `node --import`: adds MACHINE_SKEW_MS to the clock of the process, but not to its timers.
const skewMs = Number(process.env['MACHINE_SKEW_MS']);
const RealDate = Date;
const now = () => RealDate.now() + skewMs;

/** @type {ProxyHandler<DateConstructor>} */
const skewed = {
  construct: (target, values, newTarget) =>
    /** @type {Date} */ (
      Reflect.construct(target, values.length === 0 ? [now()] : values, newTarget)
    ),
  get: (target, name) =>
    /** @type {unknown} */ (name === 'now' ? now : Reflect.get(target, name)),
};
globalThis.Date = new Proxy(RealDate, skewed);
