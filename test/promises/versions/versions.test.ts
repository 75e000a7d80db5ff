import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { sized } from '../../fixtures/size.ts'
import { createPet } from '../../requests/create-pet.ts'
import { limits } from '../../requests/limits.ts'
import { scenarios } from '../../requests/requests.ts'
import { faultyService } from '../faults/service.ts'
import { bundlesOf, release, skipsWithout } from './bundles.ts'
import { faultsOfMeeting } from './meeting.ts'

/** Commits that broke a canary or a rollback, before the first release, and what then fails. */
const breaks = [
  ['b18673cd5f', 'an attribute that retries look for has another name', 'the first response, as replayed'],
  ['d6c20fd4af', 'callers share the Idempotency-Keys, without a scope', 'belongs to its API key alone'],
  ['853d2e8e4f', 'a key that may only read creates, without a scope', 'a key that may only read'],
  ['c5bd76996d', 'functions are to refuse what the authorizer did', 'a key over its limit is 429'],
] as const

const folder = mkdtempSync(join(tmpdir(), 'pet-adoption-versions-'))
const running = faultyService()
const sourcesOnly = new Map<string, string>()

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.skipIf(skipsWithout(release))('the functions of the last release and those of the sources', () => {
  it('serve all that both serve alone, whichever meets the other on the same tables', async () => {
    const service = running()
    const versions = { released: service.host(bundlesOf(release, folder)), next: service.host(sourcesOnly) }
    const sent = scenarios.filter(({ steps }, index) => steps.length > 1 || index % sized(5, 1) === 0)
    const { faults, shared } = await faultsOfMeeting(service, versions, sent)
    await Promise.all(Object.values(versions).map((host) => host.close()))
    expect(faults).toEqual([])
    expect(shared).toBeGreaterThan(0.9 * sent.length)
  })
})

describe.skipIf(breaks.some(([commit]) => skipsWithout(commit)))('two versions that must not meet are found', () => {
  it.each(breaks.slice(0, sized(1, breaks.length)))('%s: %s', async (commit, _what, expected) => {
    const service = running()
    const versions = {
      released: service.host(bundlesOf(`${commit}^`, folder)),
      next: service.host(bundlesOf(commit, folder)),
    }
    const { faults } = await faultsOfMeeting(service, versions, telling)
    await Promise.all(Object.values(versions).map((host) => host.close()))
    expect(faults.filter((fault) => !fault.startsWith('alone') && fault.includes(expected))).not.toEqual([])
  })
})

/** Scenarios of several requests that one version may leave to the other. */
const telling = [...createPet, ...limits].filter(
  ({ steps }) => steps.length > 1 && steps.some(({ key, headers }) => key !== undefined || headers !== undefined),
)
