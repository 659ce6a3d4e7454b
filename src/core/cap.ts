/** The input `max-jobs`: at most this many requests in the last `days`. */
export interface Cap {
  readonly max: number;
  /** The word for the period, such as `week`. */
  readonly per: string;
  readonly days: number;
}
