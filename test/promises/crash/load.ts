import { setTimeout } from 'node:timers/promises'
import type { KeyAdministration } from '../../../infra/operations/keys/administration.ts'
import type { IssuedKey } from '../../../infra/operations/keys/issuing.ts'
import { findLocalKeys } from '../../../infra/operations/keys/local-keys.ts'

/** What an environment has said that it keeps. */
export interface Acknowledged {
  readonly pets: Set<number>
  readonly keys: IssuedKey[]
  readonly revokedKeys: IssuedKey[]
}

export const nothingYet = (): Acknowledged => ({ pets: new Set(), keys: [], revokedKeys: [] })

const manyRequests = { perMinute: 1_000_000, perDay: 100_000_000 }

export const issueKey = (keys: KeyAdministration, owner: string): Promise<IssuedKey> =>
  keys.issue({ owner, plan: 'enterprise', allowance: manyRequests })

export const bearer = (apiKey: string): Record<string, string> => ({ authorization: `Bearer ${apiKey}` })

export const addPet = (baseUrl: string, apiKey: string): Promise<Response> =>
  fetch(`${baseUrl}/pets`, {
    method: 'POST',
    headers: { ...bearer(apiKey), 'content-type': 'application/json' },
    body: '{"name":"Bella","categoryId":1}',
  })

export const idOf = async (response: Response): Promise<number> => {
  const { id }: { id: number } = JSON.parse(await response.text())
  return id
}

export interface Load {
  /**
   * Waits until so many more pets are acknowledged: until the functions are warm, that is.
   *
   * @throws Error when the environment ends before
   */
  reach(pets: number): Promise<void>
  /** @returns the outcome of each request to add a pet that got no 201: its status, or why it got none */
  end(): Promise<readonly (number | string)[]>
}

export const petWriters = 6

/** The code of what went wrong beneath `fetch`, such as ECONNREFUSED. */
const causeOf = (error: unknown): string =>
  error instanceof Error && error.cause instanceof Error && 'code' in error.cause
    ? String(error.cause.code)
    : String(error)

/**
 * Adds pets, issues keys and revokes every other one, until it is ended or the environment is gone.
 *
 * @param acknowledged gets what was acknowledged
 */
export const writeAll = async (
  baseUrl: string,
  dataFolder: string,
  apiKey: string,
  acknowledged = nothingYet(),
): Promise<Load> => {
  const keys = await findLocalKeys(dataFolder)
  const failures: (number | string)[] = []
  let isEnding = false
  /** The writers that got no response. */
  let lost = 0

  const addPets = async (): Promise<void> => {
    while (!isEnding) {
      const response = await addPet(baseUrl, apiKey).catch(causeOf)
      if (typeof response === 'string') {
        failures.push(response)
        lost += 1
        return
      }
      if (response.status === 201) acknowledged.pets.add(await idOf(response))
      else failures.push(response.status)
    }
  }
  const changeKeys = async (): Promise<void> => {
    while (!isEnding) {
      const [kept, revoked] = [await issueKey(keys, 'kept'), await issueKey(keys, 'revoked')]
      acknowledged.keys.push(kept)
      await keys.revoke(revoked.record.keyId)
      acknowledged.revokedKeys.push(revoked)
    }
  }
  const working = [...Array.from({ length: petWriters }, addPets), changeKeys().catch(() => undefined)]
  return {
    reach: async (pets) => {
      const enough = acknowledged.pets.size + pets
      while (acknowledged.pets.size < enough) {
        if (lost === petWriters) throw new Error('The environment does not respond any more.')
        await setTimeout(5)
      }
    },
    end: async () => {
      isEnding = true
      await Promise.all(working)
      return failures
    },
  }
}
