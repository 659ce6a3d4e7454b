/** The version of this action, as in package.json. Each card says which version wrote it. */
export const version = '1.0.0';
