import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { sized } from '../../fixtures/size.ts'
import { scenarios } from '../../requests/requests.ts'
import { faultyService } from '../faults/service.ts'
import { changedBundles, isWithoutRelease, releasedBundles } from './bundles.ts'
import { faultsOfMeeting } from './meeting.ts'

const folder = mkdtempSync(join(tmpdir(), 'pet-adoption-versions-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const running = faultyService()
const sourcesOnly = new Map<string, string>()

const meet = async (released: ReadonlyMap<string, string>, next: ReadonlyMap<string, string>, sent = scenarios) => {
  const service = running()
  const versions = { released: service.host(released), next: service.host(next) }
  try {
    return await faultsOfMeeting(service, versions, sent)
  } finally {
    await Promise.all(Object.values(versions).map((host) => host.close()))
  }
}

it.skipIf(isWithoutRelease)(
  'The functions of the last release and those of the sources serve all that both serve alone, whichever meets the other on the same tables',
  async () => {
    // Of one request, one in ten in `npm test`; a ban takes a hundred.
    const isSent = ({ steps }: (typeof scenarios)[number], index: number) =>
      index % sized(10, 1) === 0 || (steps.length > 1 && steps.every(({ times = 1 }) => times < sized(2, 1_000)))
    const sent = scenarios.filter(isSent)
    const { faults, shared } = await meet(releasedBundles(join(folder, 'released')), sourcesOnly, sent)
    expect(faults).toEqual([])
    expect(shared).toBeGreaterThan(0.9 * sent.length)
  },
)

it('Two versions that must not meet are found: the key of an item has changed', async () => {
  const changed = changedBundles(join(folder, 'changed'), 'shared/idempotency/reservations.ts', (text) =>
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is looked for in the sources.
    text.replace('`${scope}#', '`${scope}/'),
  )
  const retry = 'a retry with the same Idempotency-Key and body gets the first response, as replayed'
  const { faults } = await meet(
    sourcesOnly,
    changed,
    scenarios.filter(({ title }) => title === retry),
  )
  expect(faults).toEqual(Array(4).fill(expect.stringContaining(retry)))
})
