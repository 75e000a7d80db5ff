import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { FunctionHost } from '../../../infra/local/lambda/function-host.ts'
import { chooseBySize } from '../../fixtures/machine/size.ts'
import { bundleReleasedFunctions, isWithoutRelease } from '../../fixtures/release.ts'
import { setUpFaultyService } from '../../fixtures/service/faulty-service.ts'
import { scenarios } from '../../requests/requests.ts'
import { findFaults, type Scenario } from '../../requests/scenario.ts'

/** `released`: the functions of the last release. `next`: the functions of the sources. */
type Version = 'released' | 'next'

/** Versions that serve requests together on the same tables. */
interface Meeting {
  readonly authorizer: Version
  /** Versions of the operations, in turn from request to request, as during a canary deployment. */
  readonly operations: readonly Version[]
}

/** The authorizer and the operations meet in both versions, and each version reads what the other one has written. */
const mixedMeetings: readonly Meeting[] = [
  { authorizer: 'released', operations: ['next', 'released'] },
  { authorizer: 'next', operations: ['released', 'next'] },
]

/** All operations are of the other version than the authorizer. */
const separateMeetings: readonly Meeting[] = [
  { authorizer: 'released', operations: ['next'] },
  { authorizer: 'next', operations: ['released'] },
]

const testedMeetings = [...mixedMeetings, ...chooseBySize([], separateMeetings)]

// `npm test` runs every tenth scenario, and half of the scenarios of several steps. It leaves out scenarios that repeat
// a request: a ban takes a hundred requests.
const hasRepeatedRequest = ({ steps }: Scenario): boolean => steps.some(({ times = 1 }) => times > 1)
const shortScenarios = scenarios.filter((scenario) => !hasRepeatedRequest(scenario))
const sampleOfScenarios = shortScenarios.filter(({ steps }, index) => index % (steps.length > 1 ? 2 : 10) === 0)
const testedScenarios = chooseBySize(sampleOfScenarios, scenarios)

/**
 * Titles of scenarios that the last release does not serve, because they test what is new. Empty the list when
 * `.github/release-commit` names another commit.
 */
const newScenarios: ReadonlySet<string> = new Set([])

const getService = setUpFaultyService()

describe.skipIf(isWithoutRelease)('On the same tables', () => {
  let released: FunctionHost

  /** Runs scenarios on the versions of a meeting. @returns what is wrong, by the title of the scenario */
  const runScenarios = async ({ authorizer, operations }: Meeting, sentScenarios: readonly Scenario[]) => {
    let requestCount = 0
    getService().chooseFunctions = (operation) => {
      if (operation === 'authorizer') return authorizer === 'released' ? released : undefined
      const version = operations[requestCount % operations.length]
      requestCount += 1
      return version === 'released' ? released : undefined
    }

    const faultsByTitle: Record<string, readonly string[]> = {}
    for (const scenario of sentScenarios) {
      const faults = await findFaults(scenario, getService().api)
      if (faults.length > 0) faultsByTitle[scenario.title] = faults
    }
    return faultsByTitle
  }

  beforeAll(() => {
    released = getService().hostBundles(bundleReleasedFunctions())
  })

  afterAll(() => released?.close())

  it('the functions of the last release alone serve every scenario that is not listed as new, and no other', async () => {
    const faults = await runScenarios({ authorizer: 'released', operations: ['released'] }, testedScenarios)

    const listed = testedScenarios.filter(({ title }) => newScenarios.has(title)).map(({ title }) => title)
    expect(Object.keys(faults).toSorted(), JSON.stringify(faults, null, 2)).toEqual(listed.toSorted())
  })

  it.each(testedMeetings)(
    'the authorizer "$authorizer" and operations in turn of $operations serve what both versions serve',
    async (meeting) => {
      // The released operations lack what is new. The released authorizer must admit it.
      const hasReleasedOperations = meeting.operations.includes('released')
      const served = testedScenarios.filter(({ title }) => !(hasReleasedOperations && newScenarios.has(title)))
      // A scenario of one request meets one version of its operation only.
      const sent = served.filter(({ steps }) => meeting.operations.length === 1 || steps.length > 1)

      expect(await runScenarios(meeting, sent)).toEqual({})
    },
  )
})
