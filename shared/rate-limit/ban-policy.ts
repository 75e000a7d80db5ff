/** When requests that go on after a 429 lead to a ban, and how long it lasts. */
export interface BanPolicy {
  /** As many refusals since a request was last let in as the first of a new window ban the key. */
  readonly refusalsBeforeBan: number
  /** How long the first ban of a UTC day lasts, in seconds. Each further one lasts twice as long. */
  readonly firstBanSeconds: number
  readonly longestBanSeconds: number
}

/** The seconds of a ban that follows `earlierBans` others of the same UTC day. */
export const banSeconds = (policy: BanPolicy, earlierBans: number): number =>
  Math.min(policy.longestBanSeconds, policy.firstBanSeconds * 2 ** earlierBans)
