import { readdirSync, readFileSync } from 'node:fs';
import { toJSONSchema } from 'zod/v4/core';
import type { SignerScope } from '../../src/core/sign.ts';
import type { ThreadComment } from '../../src/github/changes.ts';
import { storedCard } from '../../src/requests/card/stored.ts';

/** The cards that one version wrote (scripts/freeze-cards.ts), and the form in which it stored them, as a JSON schema. */
export interface FrozenCards {
  readonly form: CardForm;
  readonly scope: SignerScope['service'] & Pick<SignerScope, 'repositoryId'>;
  readonly comments: readonly (ThreadComment & { readonly name: string })[];
  readonly states: readonly { readonly name: string; readonly state: string }[];
}

export interface CardForm {
  readonly properties?: Readonly<Record<string, CardForm>>;
  readonly [keyword: string]: unknown;
}

export const frozenFolder = new URL('../fixtures/cards/', import.meta.url);

/** The frozen cards of every form so far, oldest first, with the names of their files. */
export const frozenCards = Array.from({ length: readdirSync(frozenFolder).length }, (_, index) => {
  const file = `form-${index + 1}.json`;
  return {
    file,
    frozen: JSON.parse(readFileSync(new URL(file, frozenFolder), 'utf8')) as FrozenCards,
  };
});

/** The form in which this version stores cards. */
export function formOfToday(): CardForm {
  return JSON.parse(
    JSON.stringify(toJSONSchema(storedCard, { unrepresentable: 'any', io: 'input' })),
  );
}

/** A form without the fields that an earlier form doesn't have. */
export function withoutNewFields(form: unknown, earlier: unknown): unknown {
  if (Array.isArray(form) && Array.isArray(earlier))
    return form.map((part, index) => withoutNewFields(part, earlier[index]));
  if (!isRecord(form) || !isRecord(earlier)) return form;
  const parts = Object.entries(form).flatMap(([name, part]) => {
    if (name !== 'properties' || !isRecord(part) || !isRecord(earlier.properties))
      return [[name, withoutNewFields(part, earlier[name])]];
    const then = earlier.properties;
    const fields = Object.entries(part).filter(([field]) => field in then);
    return [
      [
        name,
        Object.fromEntries(fields.map(([field, of]) => [field, withoutNewFields(of, then[field])])),
      ],
    ];
  });
  return Object.fromEntries(parts);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
