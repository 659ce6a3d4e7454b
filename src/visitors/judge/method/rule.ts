/** The numbers of docs/visitors-method.md, in its order. A week is a period of any length. */
export const rule = {
  // How many people.
  maxWeeks: 12,
  /** How many spreads the usual range reaches to each side, by the number of weeks. */
  reachByWeeks: new Map([
    [4, 9.8],
    [5, 6],
    [6, 4.6],
    [7, 4],
    [8, 4.9],
    [9, 4.4],
    [10, 4],
    [11, 3.7],
    [12, 3.5],
  ]),
  minWeeksForTwoOdd: 8,
  minReach: 2,
  tooWide: 3,

  // Level.
  minLevelPages: 10,
  minLevelPeople: 20,

  // Judge.
  minPeople: 15,
  oddFactor: 3,
  oddMore: 20,

  // Compare.
  offset: 30,
  ownWeight: 0.75,

  // Restless weeks.
  minRestlessPages: 10,
  calmPercent: 85,
  calmDistance: 1.44,

  // Name.
  chance: 0.1,
  minNearness: 0.5,
  minDifference: 10,

  // New, no longer visited, moved.
  minListed: 10,

  // Pages that changed.
  minWeeksSince: 2,
  maxWeeksSince: 4,
} as const;
