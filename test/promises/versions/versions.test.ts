import { expect, it } from 'vitest'
import { chooseBySize } from '../../fixtures/size.ts'
import { scenarios } from '../../requests/requests.ts'
import { findFaults, type Scenario } from '../../requests/scenario.ts'
import { faultyService } from '../faults/service.ts'
import { isWithoutRelease, releasedBundles } from './release.ts'

const running = faultyService()

type Version = 'released' | 'next'

/** The version of the authorizer, and those of the operations, in turns from request to request, as a canary has them. */
type Meeting = readonly [authorizer: Version, ...operations: readonly Version[]]

/** How a version of the authorizer meets the other. A release moves the authorizer last. */
const meetingsOf = (version: Version, other: Version): readonly Meeting[] => [
  [version, other],
  [version, version, other],
  ...chooseBySize([], [[version, other, version] as const]),
]
const meetings = [...meetingsOf('released', 'next'), ...meetingsOf('next', 'released')]

// Of one request, one in ten in `npm test`; a ban takes a hundred.
const sent = scenarios.filter(
  ({ steps }, index) =>
    index % chooseBySize(10, 1) === 0 ||
    (steps.length > 1 && steps.every(({ times = 1 }) => times < chooseBySize(2, 1_000))),
)

it.skipIf(isWithoutRelease)(
  'The functions of the last release and those of the sources serve all that both serve alone, whichever meets the other on the same tables',
  async () => {
    const service = running()
    const released = service.host(releasedBundles())

    /** What is wrong where the versions meet so, by the titles of the scenarios. */
    const failing = async ([authorizer, ...operations]: Meeting, given = sent) => {
      let requests = 0
      service.instead = (operation) => {
        if (operation !== 'authorizer') requests += 1
        const version = operation === 'authorizer' ? authorizer : operations[requests % operations.length]
        return version === 'released' ? released : undefined
      }
      const failed = new Map<string, readonly string[]>()
      for (const scenario of given) {
        const faults = await findFaults(scenario, service.api)
        if (faults.length > 0) failed.set(scenario.title, faults)
      }
      return failed
    }

    try {
      const ofNext = await failing(['next', 'next'])
      expect([...ofNext]).toEqual([])
      // What is new works with the authorizer released before too; with functions released before it may be missing.
      const ofReleased = await failing(['released', 'released'])
      const ofBoth = sent.filter(({ title }) => !ofReleased.has(title))
      expect(ofBoth.length).toBeGreaterThan(0.9 * sent.length)
      for (const meeting of meetings) {
        const expected = meeting.slice(1).includes('released') ? ofBoth : sent
        // One request meets one version of its function.
        const isMet = ({ steps }: Scenario) => meeting.length === 2 || steps.length > 1
        expect([meeting, ...(await failing(meeting, expected.filter(isMet)))]).toEqual([meeting])
      }
    } finally {
      await released.close()
    }
  },
)
