/** The part of ncc's API that the build uses; ncc ships no types (its README, "Programmatically From Node.js"). */
declare module '@vercel/ncc' {
  interface Options {
    /** The entry's name in the bundle; its chunks are called `<number>.<filename>`. */
    readonly filename: string;
    /** Whether the bundle is an ES module. */
    readonly esm: boolean;
    /** The newest ECMAScript that may be written, such as `es2024`. */
    readonly target: string;
    readonly cache: false;
    readonly quiet: boolean;
    /** What stays outside the bundle, and by which name it is asked for when it is needed. */
    readonly externals: Readonly<Record<string, string>>;
    /** Asked for every file that the code seems to read: `false` leaves it where it is. */
    readonly customEmit: (path: string) => false | undefined;
  }

  /** A module of webpack's stats; one that was made of several holds them. */
  interface BundledModule {
    /** The path of its file; `null` for what is none. */
    readonly nameForCondition?: string | null;
    readonly modules?: readonly BundledModule[];
  }

  interface Bundle {
    readonly code: string;
    /** Chunks and other files beside the entry. */
    readonly assets: Readonly<Record<string, { readonly source: string | Buffer }>>;
    /** webpack's stats. */
    readonly stats: {
      toJson(options: Readonly<Record<string, unknown>>): { readonly modules?: readonly BundledModule[] };
    };
  }

  export default function ncc(entry: string, options: Options): Promise<Bundle>;
}
