/** The API that the end-to-end tests are aimed at, for the scenarios of `test/requests`. */
import { findOperator, openEnvironment } from '../../infra/commands/environment/open-environment.ts'
import { createSmokeKeyOrder } from '../../infra/commands/smoke/smoke-keys.ts'
import { createKeyOperator, type KeyOperator } from '../fixtures/commands/key-operator.ts'
import { readProvided } from '../fixtures/machine/provided.ts'
import { createApiClient, type KeyName, keyOrders } from '../requests/scenario.ts'

const { baseUrl, apiKey, target: environment } = readProvided('api')

export { baseUrl }

/** Data folder of the local environment under test; `undefined` for a deployed API. */
export const dataFolder = environment?.name === 'local' ? environment.dataFolder : undefined

/** False if the suite has only one API key, and no access to the environment of the API. */
export const canIssueKeys = environment !== null

/** Variables that `npm run smoke` sets: the id of its run, whose keys expire within an hour, and `1` to add no pets. */
const { PET_API_RUN: smokeRunId, PET_API_READ_ONLY: readOnly } = process.env

export const mayAddPets = readOnly === undefined

/** False in a read-only run without an environment: its key may have the scope `read`, so it sends no `POST /pets`. */
export const hasWriteScope = mayAddPets || canIssueKeys

/** Opens the keys of the environment. Its audit names the end-to-end tests as the operator. */
const openKeys = async (): Promise<KeyOperator | undefined> => {
  if (environment === null) return undefined
  const opened = await openEnvironment(environment)
  return createKeyOperator(opened, { operator: await findOperator(opened, 'end-to-end tests') })
}

const keys = await openKeys()

/** Issues a new key, so that no other test uses up its limits. */
const issueKey = async (name: KeyName): Promise<string> => {
  if (keys === undefined) throw new Error('Set PET_API_ENVIRONMENT for tests that issue keys of a deployed API.')
  const { plan, limits, scope } = keyOrders[name]
  const order =
    smokeRunId === undefined
      ? { owner: 'the end-to-end tests', plan, limits }
      : createSmokeKeyOrder(smokeRunId, plan, limits)
  const issued = await keys.issue({ ...order, ...(scope !== undefined && { scope }) })
  return issued.apiKey
}

export const api = createApiClient(baseUrl, { usual: apiKey, issue: issueKey })
