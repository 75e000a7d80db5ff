import type { FunctionHost } from '../../../infra/local/lambda/function-host.ts'
import { faultsOf, type Scenario } from '../../requests/scenario.ts'
import type { FaultyService } from '../faults/service.ts'

/** Two versions of the functions on the same tables. */
export interface Versions {
  readonly released: FunctionHost
  readonly next: FunctionHost
}

type Version = keyof Versions

interface Meeting {
  readonly authorizer: Version
  /** The versions of the operations, in turns from request to request, as a canary has them. */
  readonly operations: readonly Version[]
}

const alone = (version: Version): Meeting => ({ authorizer: version, operations: [version] })

/** How versions meet while both serve requests. A release moves the authorizer last. */
const meetings: readonly Meeting[] = [
  { authorizer: 'released', operations: ['next'] },
  { authorizer: 'next', operations: ['released'] },
  { authorizer: 'released', operations: ['released', 'next'] },
  { authorizer: 'released', operations: ['next', 'released'] },
  { authorizer: 'next', operations: ['released', 'next'] },
  { authorizer: 'next', operations: ['next', 'released'] },
]

/** What is wrong where the versions meet so, by the titles of the scenarios. */
const failing = async (service: FaultyService, versions: Versions, meeting: Meeting, sent: readonly Scenario[]) => {
  const { authorizer, operations } = meeting
  let requests = 0
  service.instead = (operation) => {
    if (operation === 'authorizer') return versions[authorizer]
    requests += 1
    return versions[operations[requests % operations.length] ?? authorizer]
  }
  const failed = new Map<string, readonly string[]>()
  for (const scenario of sent) {
    const faults = await faultsOf(scenario, service.api)
    if (faults.length > 0) failed.set(scenario.title, faults)
  }
  return failed
}

/**
 * What fails where two versions meet, and in neither alone. What is new in the next functions works with the authorizer
 * released before too; with functions released before it may be missing.
 */
export const faultsOfMeeting = async (
  service: FaultyService,
  versions: Versions,
  sent: readonly Scenario[],
): Promise<{ readonly faults: readonly string[]; readonly shared: number }> => {
  const ofReleased = await failing(service, versions, alone('released'), sent)
  const ofNext = await failing(service, versions, alone('next'), sent)
  const faults = [...ofNext].map(([title, reasons]) => `alone, ${title}: ${reasons}`)
  const ofBoth = sent.filter(({ title }) => !ofReleased.has(title) && !ofNext.has(title))
  for (const meeting of meetings) {
    const { authorizer, operations } = meeting
    const isForwards = authorizer === 'released' && !operations.includes('released')
    const expected = isForwards ? sent.filter(({ title }) => !ofNext.has(title)) : ofBoth
    // One request meets one version of its function.
    const met = operations.length > 1 ? expected.filter(({ steps }) => steps.length > 1) : expected
    for (const [title, reasons] of await failing(service, versions, meeting, met)) {
      faults.push(`the authorizer ${authorizer}, functions ${operations}, ${title}: ${reasons}`)
    }
  }
  return { faults, shared: ofBoth.length }
}
