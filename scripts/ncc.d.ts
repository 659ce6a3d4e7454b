/** The part of ncc's API that the build uses, because ncc ships no types. See "Programmatically From Node.js" in its README. */
declare module '@vercel/ncc' {
  interface Options {
    /** The name of the bundled entry. Its chunks are called `<number>.<filename>`. */
    readonly filename: string;
    readonly esm: boolean;
    readonly target: string;
    readonly cache: false;
    readonly quiet: boolean;
    /** Called for every file that the code seems to read; `false` leaves the file where it is. */
    readonly customEmit: (path: string) => false | undefined;
  }

  /** A module in webpack's stats. A combined module lists its parts. */
  interface BundledModule {
    /** The path of the module's file; `null` if there is none. */
    readonly nameForCondition?: string | null;
    readonly modules?: readonly BundledModule[];
  }

  interface Bundle {
    readonly code: string;
    /** The bundle's other files, such as chunks, by name. */
    readonly assets: Readonly<Record<string, { readonly source: string | Buffer }>>;
    /** webpack's stats. */
    readonly stats: {
      toJson(options: Readonly<Record<string, unknown>>): {
        readonly modules?: readonly BundledModule[];
      };
    };
  }

  export default function ncc(entry: string, options: Options): Promise<Bundle>;
}
