import type { Allowance } from '../../../../shared/api-keys/plans.ts'
import type { BanPolicy } from '../../../../shared/rate-limit/rate-limiter.ts'

/** When the minute, or the day, of a time ends. All times are milliseconds. */
export const endOf = (window: 'minute' | 'day', time: number): number => {
  const length = { minute: 60_000, day: 86_400_000 }[window]
  return time - (time % length) + length
}

/** What README.md says of the requests of one key that come one after the other. */
export const rulesOf = (limits: Allowance, policy: BanPolicy) => {
  const admitted: number[] = []

  const count = (window: 'minute' | 'day', now: number): number =>
    admitted.filter((time) => endOf(window, time) === endOf(window, now)).length

  const told = (window: 'minute' | 'day', limit: number, now: number) => {
    const [end, left] = [endOf(window, now), Math.max(0, limit - count(window, now))]
    if (rules.bannedUntil <= now) return { window, limit, remaining: left, resetAt: end / 1_000 }
    // What was used up before the ban stays so until its window ends.
    const resetAt = (left > 0 ? rules.bannedUntil : Math.max(end, rules.bannedUntil)) / 1_000
    return { window, limit, remaining: 0, resetAt }
  }

  const decide = (now: number): 'admitted' | 'exhausted' | 'banned' => {
    if (now < rules.bannedUntil) return 'banned'
    const [ofMinute, ofDay] = [count('minute', now), count('day', now)]
    if (ofMinute < rules.limits.perMinute && ofDay < rules.limits.perDay) {
      if (ofMinute === 0) rules.refusals = 0
      if (ofDay === 0) rules.bans = 0
      admitted.push(now)
      return 'admitted'
    }
    rules.refusals += 1
    if (rules.refusals < policy.refusalsBeforeBan) return 'exhausted'
    const seconds = Math.min(policy.longestBanSeconds, policy.firstBanSeconds * 2 ** rules.bans)
    const bannedUntil = (Math.ceil(now / 1_000) + seconds) * 1_000
    Object.assign(rules, { bannedUntil, refusals: 0, bans: rules.bans + 1 })
    return 'banned'
  }

  const rules = {
    ...{ limits, bannedUntil: 0, refusals: 0, bans: 0 },
    /** What a request gets, and what it is told of both windows. */
    request: (now: number) => {
      const kind = decide(now)
      const { perMinute, perDay } = rules.limits
      return { kind, status: { minute: told('minute', perMinute, now), day: told('day', perDay, now) } }
    },
  }
  return rules
}
