import type { FunctionHost } from '../../../infra/local/lambda/function-host.ts'
import { faultsOf, type Scenario } from '../../requests/scenario.ts'
import type { FaultyService } from '../faults/service.ts'

/** Two versions of the functions on the same tables, the earlier one released. */
export interface Versions {
  readonly released: FunctionHost
  readonly next: FunctionHost
}

type Choose = (operation: string | undefined) => keyof Versions

const isAuthorizer = (operation: string | undefined): boolean => operation === 'authorizer'

/** The functions as a canary has them: from request to request another version. */
const inTurns = (authorizer: keyof Versions, first: number): Choose => {
  let requests = first
  return (operation) => {
    if (isAuthorizer(operation)) return authorizer
    requests += 1
    return requests % 2 === 0 ? 'released' : 'next'
  }
}

/** How versions meet while both serve requests, and what came before must go on. */
const meetings: Readonly<Record<string, () => Choose>> = {
  'the authorizer released before and the next functions': () => (operation) =>
    isAuthorizer(operation) ? 'released' : 'next',
  'the next authorizer and functions released before': () => (operation) =>
    isAuthorizer(operation) ? 'next' : 'released',
  'functions of both, after the authorizer released before': () => inTurns('released', 0),
  'functions of both, in the other order': () => inTurns('released', 1),
  'functions of both, after the next authorizer': () => inTurns('next', 0),
  'functions of both, after the next authorizer, in the other order': () => inTurns('next', 1),
}

const [forwards = ''] = Object.keys(meetings)

const failing = async (service: FaultyService, versions: Versions, choose: Choose, sent: readonly Scenario[]) => {
  service.instead = (operation) => versions[choose(operation)]
  const failed = new Map<string, readonly string[]>()
  for (const scenario of sent) {
    const faults = await faultsOf(scenario, service.api())
    if (faults.length > 0) failed.set(scenario.title, faults)
  }
  return failed
}

/**
 * What fails where two versions meet, and in neither alone. The next functions do all that they do alone with the
 * authorizer released before too: a release moves the authorizer last. What is new with the next authorizer may be
 * missing where functions are still those released before.
 */
export const faultsOfMeeting = async (
  service: FaultyService,
  versions: Versions,
  sent: readonly Scenario[],
): Promise<{ readonly faults: readonly string[]; readonly shared: number }> => {
  const ofReleased = await failing(service, versions, () => 'released', sent)
  const ofNext = await failing(service, versions, () => 'next', sent)
  const faults = [...ofNext].map(([title, reasons]) => `alone, ${title}: ${reasons}`)
  const shared = sent.filter(({ title }) => !ofReleased.has(title) && !ofNext.has(title))
  for (const [meeting, choose] of Object.entries(meetings)) {
    const expected = meeting === forwards ? sent.filter(({ title }) => !ofNext.has(title)) : shared
    // One request meets one version of its function.
    const met = meeting.startsWith('functions of both') ? expected.filter(({ steps }) => steps.length > 1) : expected
    for (const [title, reasons] of await failing(service, versions, choose(), met)) {
      faults.push(`${meeting}, ${title}: ${reasons}`)
    }
  }
  return { faults, shared: shared.length }
}
