/** A response doesn't have the form that GitHub documents. The message names the field. */
export class UnexpectedResponse extends Error {}

/**
 * Checks each field when it is read, also of the objects in it, but not of the items of a list.
 * @throws UnexpectedResponse
 */
export function required<T extends object>(
  answer: T,
  name = 'the response',
): { readonly [Field in keyof T]-?: NonNullable<T[Field]> } {
  if (typeof answer !== 'object' || answer === null)
    throw new UnexpectedResponse(`${name} is not an object`);
  return new Proxy(answer, {
    get(source, field) {
      const value: unknown = Reflect.get(source, field);
      const label = `\`${String(field)}\``;
      const problem = field in Array.prototype ? 'is not a list' : `has no ${label}`;
      if (value == null) throw new UnexpectedResponse(`${name} ${problem}`);
      return typeof value === 'object' && !Array.isArray(source) ? required(value, label) : value;
    },
  }) as ReturnType<typeof required<T>>;
}
