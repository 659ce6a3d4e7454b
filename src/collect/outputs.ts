/** The outputs of collect mode, by name, with what they hold. */
export const collectOutputs = {
  finished: 'How many status comments were brought to their end.',
  'still-active': 'How many wait for a job that is still at work.',
} as const;
