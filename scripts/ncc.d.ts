/** The part of ncc's API that the build uses. ncc ships no types (its README, "Programmatically From Node.js"). */
declare module '@vercel/ncc' {
  interface Options {
    /** The entry's name in the bundle. Chunks are called `<number>.<filename>`. */
    readonly filename: string;
    /** Whether the bundle is an ES module. */
    readonly esm: boolean;
    /** The newest ECMAScript version to emit, such as `es2024`. */
    readonly target: string;
    readonly cache: false;
    readonly quiet: boolean;
    /** What stays outside the bundle, and the name it is imported by. */
    readonly externals: Readonly<Record<string, string>>;
    /** Called for every file that the code seems to read; `false` leaves the file where it is. */
    readonly customEmit: (path: string) => false | undefined;
  }

  /** A module in webpack's stats. A combined module lists its parts. */
  interface BundledModule {
    /** The path of its file; `null` if it isn't a file. */
    readonly nameForCondition?: string | null;
    readonly modules?: readonly BundledModule[];
  }

  interface Bundle {
    readonly code: string;
    /** Chunks and other files besides the entry. */
    readonly assets: Readonly<Record<string, { readonly source: string | Buffer }>>;
    /** webpack's stats. */
    readonly stats: {
      toJson(options: Readonly<Record<string, unknown>>): { readonly modules?: readonly BundledModule[] };
    };
  }

  export default function ncc(entry: string, options: Options): Promise<Bundle>;
}
