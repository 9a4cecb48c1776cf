/**
 * Binds a method to its object. `await using` of Node 24 accepts no result of `bind` as a dispose
 * method.
 */
export const bound =
  (target: object, method: Function) =>
  (...args: unknown[]): unknown =>
    Reflect.apply(method, target, args);
