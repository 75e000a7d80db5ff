import { beforeEach, describe, expect, it, vi } from 'vitest'
import { noon } from '../fixtures/clock.ts'
import { type Callers, type Credential, startFollower, startSite } from './callers.ts'
import { Faults } from './faults.ts'
import { FollowerRules } from './follower-rules.ts'
import { ListRules } from './list-rules.ts'
import { PetRules } from './pet-rules.ts'
import { Random } from './random.ts'
import { TestHistory } from './test-history.ts'

let history: TestHistory
beforeEach(() => {
  history = new TestHistory()
})

/** Calls of a site that get an error, which its client does not repeat. */
interface FailingCall {
  /** The faults that each call meets. */
  readonly faultCount: number
  readonly mustSucceed?: boolean
  readonly status?: number
  readonly isRevoked?: boolean
}

const createFaults = (): Faults =>
  new Faults({ random: new Random(1), enabled: new Set(), isActive: () => true, onFault: () => {} })

/** Creates the rules of animals. They read no table, because the callers of these tests add no animals. */
const createPetRules = (): PetRules => {
  const observe = () => {
    throw new Error('The rules read the table.')
  }
  return new PetRules(history, new FollowerRules(history.time, history), { observe }, 'pets')
}

/** Creates callers that stop after half a minute. */
const createCallers = (faults: Faults, mustSucceed: boolean): Callers => ({
  time: history.time,
  random: new Random(1),
  faults,
  history,
  petRules: createPetRules(),
  followerRules: new FollowerRules(history.time, history),
  listRules: new ListRules(history.time, history),
  rest: (milliseconds) => history.time.pause(milliseconds),
  mustSucceed: () => mustSucceed,
  isClosing: () => history.time.now >= noon + 30_000,
  isOver: () => history.time.now >= noon + 30_000,
})

const createCredential = (): Credential => ({
  apiKey: 'pet_test_key',
  name: 'the caller',
  isRevoked: false,
  isInDoubt: false,
  endsUnderWay: 0,
})

/** Lets a site make calls, which fail. @returns the broken invariants */
const checkFailingCall = async (call: FailingCall): Promise<readonly string[]> => {
  const { faultCount, mustSucceed = false, status = 404, isRevoked = false } = call
  const faults = createFaults()
  const credential = createCredential()
  const respond = async (): Promise<Response> => {
    for (let fault = 0; fault < faultCount; fault += 1) faults.countThrottledRequest()
    credential.isRevoked = isRevoked
    return Response.json({ code: 'an_error', message: 'An error.', status }, { status })
  }
  vi.stubGlobal('fetch', vi.fn(respond))
  await history.runToEnd(startSite(createCallers(faults, mustSucceed), credential, 1))
  return history.listBroken()
}

describe('a few faults make no client fail', () => {
  it('is broken by a client that fails after three faults', async () => {
    expect(await checkFailingCall({ faultCount: 3 })).toEqual(['a few faults make no client fail'])
  })

  it('is broken by a key that does not work', async () => {
    expect(await checkFailingCall({ faultCount: 0, status: 401 })).toEqual(['a few faults make no client fail'])
  })

  it('holds for a client that fails after four faults', async () => {
    expect(await checkFailingCall({ faultCount: 4 })).toEqual([])
  })

  it('holds for a key that was revoked', async () => {
    expect(await checkFailingCall({ faultCount: 0, status: 401, isRevoked: true })).toEqual([])
  })
})

describe('a client succeeds once the faults have ended', () => {
  it('is broken by a client that fails', async () => {
    expect(await checkFailingCall({ faultCount: 4, mustSucceed: true })).toEqual([
      'a client succeeds once the faults have ended',
    ])
  })

  it('holds for a key that was revoked', async () => {
    expect(await checkFailingCall({ faultCount: 0, mustSucceed: true, status: 401, isRevoked: true })).toEqual([])
  })
})

describe('a follower goes on', () => {
  /** Lets a follower poll. @returns the broken invariants */
  const follow = async (createListResponse: () => Response): Promise<readonly string[]> => {
    vi.stubGlobal(
      'fetch',
      vi.fn(async () => createListResponse()),
    )
    await history.runToEnd(startFollower(createCallers(createFaults(), false), createCredential(), 120))
    return history.listBroken()
  }

  it('is broken by an error that ends it', async () => {
    const error = { code: 'an_error', message: 'An error.', status: 404 }

    expect(await follow(() => Response.json(error, { status: 404 }))).toEqual(['a follower goes on'])
  })

  it('holds for a list', async () => {
    expect(await follow(() => Response.json([]))).toEqual([])
  })
})
