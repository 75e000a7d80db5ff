import { beforeEach, describe, expect, it, vi } from 'vitest'
import { UserError } from '../../../../../infra/command-line/user-error.ts'
import { findOutcome, UncertainChangeError } from '../../../../../infra/operations/environment/audit.ts'
import { createMemoryAudit, type MemoryAudit } from '../../../../fixtures/audit.ts'
import { captureOutput } from '../../../../fixtures/commands.ts'

const change = { action: 'things set', ids: ['a'], old: null, new: { id: 'a' } }
const otherChange = { ...change, ids: ['b'] }

/** Creates an error as the SDK throws it. */
const createSdkError = (properties: { readonly $fault?: string; readonly $metadata: object }) =>
  Object.assign(new Error('from the SDK'), properties)

const refusal = createSdkError({ $fault: 'client', $metadata: { attempts: 1 } })
const lostResponse = createSdkError({ $metadata: { attempts: 1 } })

describe('the audit', () => {
  let audit: MemoryAudit

  beforeEach(() => {
    audit = createMemoryAudit()
  })

  it('has a change as begun before it is made', async () => {
    await audit.recordThenMake(change, async () => {
      expect(audit.lines).toMatchObject([{ ...change, outcome: 'begun' }])
    })
  })

  it('has a change that is made as done', async () => {
    const result = await audit.recordThenMake(change, async () => 5)

    expect(result).toBe(5)
    expect(audit.lines).toMatchObject([
      { ...change, outcome: 'begun' },
      { ...change, outcome: 'done' },
    ])
  })

  it('has the same id in both lines of a change, and another one in those of another change', async () => {
    await audit.recordThenMake(change, async () => undefined)
    await audit.recordThenMake(change, async () => undefined)

    const [begun, done, other] = audit.lines
    expect(done?.changeId).toBe(begun?.changeId)
    expect(other?.changeId).not.toBe(begun?.changeId)
  })

  it('has a change that is refused as failed, with the reason', async () => {
    const error = new UserError('Somebody else was first.')

    await expect(audit.recordThenMake(change, () => Promise.reject(error))).rejects.toBe(error)

    expect(audit.lines[1]).toMatchObject({ ...change, outcome: 'failed', reason: 'Somebody else was first.' })
  })

  it('has the name of an error that is no UserError, and not its message, which may hold a secret', async () => {
    await expect(audit.recordThenMake(change, () => Promise.reject(refusal))).rejects.toBe(refusal)

    expect(audit.lines[1]).toMatchObject({ ...change, outcome: 'failed', reason: 'Error' })
  })

  it('has a change without a response as unknown', async () => {
    await expect(audit.recordThenMake(change, () => Promise.reject(lostResponse))).rejects.toBe(lostResponse)

    expect(audit.lines[1]).toMatchObject({ ...change, outcome: 'unknown' })
  })

  it('has the outcome of each of several changes', async () => {
    const results = await audit.recordThenMakeAll([
      { change, make: () => Promise.reject(refusal) },
      { change: otherChange, make: async () => 5 },
    ])

    expect(results).toEqual([
      { status: 'rejected', reason: refusal },
      { status: 'fulfilled', value: 5 },
    ])
    expect(audit.lines).toMatchObject([
      { ...change, outcome: 'begun' },
      { ...otherChange, outcome: 'begun' },
      { ...change, outcome: 'failed' },
      { ...otherChange, outcome: 'done' },
    ])
  })
})

it('a change that cannot be recorded is not made', async () => {
  const audit = createMemoryAudit(() => {
    throw new Error('no disk')
  })
  const make = vi.fn(async () => undefined)

  await expect(audit.recordThenMake(change, make)).rejects.toThrow('no disk')

  expect(make).not.toHaveBeenCalled()
})

describe('an outcome that cannot be recorded', () => {
  const createForgetfulAudit = () => {
    const beforeWrite = vi.fn()
    beforeWrite
      .mockImplementationOnce(() => undefined)
      .mockImplementation(() => {
        throw new UserError('The disk is full.')
      })
    return createMemoryAudit(beforeWrite)
  }

  it('does not replace the error of the change', async () => {
    const audit = createForgetfulAudit()
    await captureOutput(async () => {
      await expect(audit.recordThenMake(change, () => Promise.reject(refusal))).rejects.toBe(refusal)
    })
  })

  it('does not make a change that is made an error, and leaves it as begun', async () => {
    const audit = createForgetfulAudit()

    const { errors } = await captureOutput(async () => {
      expect(await audit.recordThenMake(change, async () => 5)).toBe(5)
    })

    expect(errors).toBe('The audit lacks what became of the last changes: it has them as begun. The disk is full.\n')
    expect(audit.lines).toMatchObject([{ ...change, outcome: 'begun' }])
  })
})

it.each([
  { error: new Error('from the command'), outcome: 'failed', what: 'an error without a call to AWS' },
  { error: refusal, outcome: 'failed', what: 'a refusal' },
  { error: new UserError('explained', { cause: refusal }), outcome: 'failed', what: 'a refusal that is explained' },
  { error: lostResponse, outcome: 'unknown', what: 'a lost response' },
  {
    error: new UserError('explained', { cause: lostResponse }),
    outcome: 'unknown',
    what: 'a lost response that is explained',
  },
  {
    error: createSdkError({ $fault: 'server', $metadata: { attempts: 1 } }),
    outcome: 'unknown',
    what: 'an internal error of AWS',
  },
  {
    error: createSdkError({ $fault: 'client', $metadata: { attempts: 2 } }),
    outcome: 'unknown',
    what: 'a refusal of a second attempt',
  },
  { error: new UncertainChangeError('half'), outcome: 'unknown', what: 'work that was half done' },
])('the outcome after $what is $outcome', ({ error, outcome }) => {
  expect(findOutcome(error)).toBe(outcome)
})
