import type { ApiKeyRecord } from '../../../shared/api-keys/api-key-record.ts'
import { type Report, tableOf } from '../../command-line/report.ts'

/** How many requests of a key, on one of its plans, had one status. */
export interface UsageCount {
  readonly keyId: string
  readonly plan: string
  readonly status: string
  readonly requests: number
}

/** Reads the access log of the last days before a time (milliseconds). */
export type ReadUsage = (days: number, now: number) => Promise<readonly UsageCount[]>

/** Reports who made how many requests, and how many of them were over a limit or banned; who made most comes first. */
export const reportUsage = (
  counts: readonly UsageCount[],
  records: readonly ApiKeyRecord[],
  by: 'key' | 'owner' | 'plan',
): Report => {
  const owners = new Map(records.map(({ keyId, owner }) => [keyId as string, owner]))
  const nameOf = {
    key: ({ keyId }: UsageCount) => keyId,
    owner: ({ keyId }: UsageCount) => owners.get(keyId) ?? 'unknown',
    plan: ({ plan }: UsageCount) => plan,
  }[by]
  const sum = (some: readonly UsageCount[]): number => some.reduce((all, { requests }) => all + requests, 0)
  const usage = [...Map.groupBy(counts, nameOf)]
    .map(([name, some]) => ({
      [by]: name,
      requests: sum(some),
      limited: sum(some.filter(({ status }) => status === '429')),
      failed: sum(some.filter(({ status }) => status.startsWith('5'))),
      ...(by === 'key' && { owner: owners.get(name) ?? 'unknown' }),
    }))
    .toSorted((one, other) => other.requests - one.requests)
  const heading = [by, 'requests', 'limited', 'failed', ...(by === 'key' ? ['owner'] : [])]
  const rows = usage.map((row) => Object.values(row).map(String))
  return { json: { usage }, text: tableOf([heading.map((name) => name.toUpperCase()), ...rows]) }
}
