/** The windows that can be asked for by name, and one by its dates. */
export const periodKinds = ['last-week', 'last-4-weeks', 'last-month', 'custom'] as const;
export type PeriodKind = (typeof periodKinds)[number];
