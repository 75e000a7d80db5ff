import { describe, expect, it } from 'vitest'
import type { AuditLine } from '../../infra/operations/environment/audit.ts'
import { drawPetId } from '../../shared/pets/pet-id.ts'
import { voidFor } from '../../shared/pets/pet-store.ts'
import { type Actor, waitForActors } from './actors.ts'
import { CommandRules, type EndedCommand } from './command-rules.ts'
import { FollowerRules } from './follower-rules.ts'
import { History } from './history.ts'
import { type EndedImport, ImportRules } from './import-rules.ts'
import { Transactions } from './transactions.ts'
import { VirtualTime } from './virtual-time.ts'

const createHistory = (): History => new History(new VirtualTime(0))

const listBroken = ({ violations }: History): readonly string[] => violations.map(({ invariant }) => invariant)

describe('every actor ends', () => {
  const sleeper: Actor = { name: 'sleeper', ended: new Promise(() => {}) }
  const worker: Actor = { name: 'worker', ended: Promise.resolve() }

  it('is broken by an actor that hangs', async () => {
    const history = createHistory()

    await waitForActors(history, [worker, sleeper], Promise.resolve())

    expect(history.violations).toMatchObject([{ invariant: 'every actor ends' }])
    expect(history.violations[0]?.text).toContain('sleeper did not end')
  })

  it('holds if all actors have ended', async () => {
    const history = createHistory()

    await waitForActors(history, [worker], Promise.resolve())

    expect(history.violations).toEqual([])
  })

  it('does not hide the error of an actor', async () => {
    const broken: Actor = { name: 'broken', ended: Promise.reject(new Error('A mistake.')) }

    const waiting = waitForActors(createHistory(), [sleeper, broken], new Promise(() => {}))

    await expect(waiting).rejects.toThrow('A mistake.')
  })
})

const rotation: EndedCommand = { kind: 'keys rotate', who: 'command 1', mustSucceed: true, outcome: 'done' }

describe('a command succeeds once the faults have ended', () => {
  const invariant = 'a command succeeds once the faults have ended'

  const checkEnd = (command: EndedCommand): readonly string[] => {
    const history = createHistory()
    new CommandRules(history, { all: [] }).recordEnd(command)
    return listBroken(history)
  }

  it('is broken by a command that fails', () => {
    expect(checkEnd({ ...rotation, outcome: 'failed' })).toEqual([invariant])
  })

  it('holds for a command that fails while there are faults', () => {
    expect(checkEnd({ ...rotation, outcome: 'failed', mustSucceed: false })).toEqual([])
  })

  it('holds for a command after another one that was first', () => {
    expect(checkEnd({ ...rotation, outcome: 'conflict' })).toEqual([])
  })
})

describe('each kind of command succeeds at times', () => {
  const checkConflicts = (conflicts: number, successes: number, isSpeculative = false): readonly string[] => {
    const history = createHistory()
    const rules = new CommandRules(history, { all: [] })
    for (let count = 0; count < conflicts; count += 1)
      rules.recordEnd({ ...rotation, isSpeculative, outcome: 'conflict' })
    for (let count = 0; count < successes; count += 1) rules.recordEnd(rotation)
    rules.checkAtEnd()
    return listBroken(history)
  }

  it('is broken by twenty commands that all meet a conflict', () => {
    expect(checkConflicts(20, 0)).toEqual(['each kind of command succeeds at times'])
  })

  it('holds if one of them succeeds', () => {
    expect(checkConflicts(20, 1)).toEqual([])
  })

  it('holds if the operators did not know if there was anything to do', () => {
    expect(checkConflicts(20, 0, true)).toEqual([])
  })

  it('holds if there are only a few commands', () => {
    expect(checkConflicts(19, 0)).toEqual([])
  })
})

describe('the audit of a command that has ended has one outcome of each change', () => {
  const invariant = 'the audit of a command that has ended has one outcome of each change'

  const createLine = (outcome: AuditLine['outcome']): AuditLine => ({
    time: '2026-11-02T12:00:00.000Z',
    who: 'command 1',
    environment: 'local',
    action: 'keys rotate',
    ids: ['key-1'],
    old: {},
    new: {},
    changeId: 'change-1',
    outcome,
  })

  const checkLines = (outcome: EndedCommand['outcome'], lines: readonly AuditLine['outcome'][]): readonly string[] => {
    const history = createHistory()
    const rules = new CommandRules(history, { all: lines.map(createLine) })
    rules.recordEnd({ ...rotation, mustSucceed: false, outcome })
    rules.checkAtEnd()
    return listBroken(history)
  }

  it('is broken by a command that has done its work without an outcome', () => {
    expect(checkLines('done', ['begun'])).toEqual([invariant])
  })

  it('is broken by a command that has failed without an outcome', () => {
    expect(checkLines('failed', ['begun'])).toEqual([invariant])
  })

  it('is broken by a change that begins twice', () => {
    expect(checkLines('done', ['begun', 'begun'])).toEqual([invariant])
  })

  it('is broken by two outcomes', () => {
    expect(checkLines('done', ['begun', 'done', 'done'])).toEqual([invariant])
  })

  it('is broken by an outcome of a change that has not begun', () => {
    expect(checkLines('done', ['done'])).toEqual([invariant])
  })

  it('holds with one outcome', () => {
    expect(checkLines('done', ['begun', 'done'])).toEqual([])
  })

  it('holds for a command that was killed before it wrote the outcome', () => {
    expect(checkLines('killed', ['begun'])).toEqual([])
  })

  it('is broken by two outcomes of a command that was killed', () => {
    expect(checkLines('killed', ['begun', 'done', 'failed'])).toEqual([invariant])
  })
})

describe('an import that has ended has made each edit, or has reported a conflict', () => {
  const invariant = 'an import that has ended has made each edit, or has reported a conflict'
  const edits = new Map([['1', { status: 'sold' }]])
  const sold = { id: 1n, status: 'sold' }
  const pending = { id: 1n, status: 'pending' }

  const checkImport = (ended: Partial<EndedImport>, versionsSinceExport: readonly object[]): readonly string[] => {
    const history = createHistory()
    const time = { now: 1_000 }
    const rules = new ImportRules(time, history)
    rules.recordVersion('1', { id: 1n, status: 'available' })
    time.now = 2_000
    for (const version of versionsSinceExport) rules.recordVersion('1', { ...version })
    rules.checkEnd({
      exportedAt: 2_000,
      edits,
      overwrite: false,
      newNames: [],
      conflictIds: new Set(),
      resultNames: new Set(),
      ...ended,
    })
    return listBroken(history)
  }

  it('is broken by an edit that was not made', () => {
    expect(checkImport({}, [])).toEqual([invariant])
  })

  it('is broken by a change of somebody else that is no conflict', () => {
    expect(checkImport({}, [pending])).toEqual([invariant])
  })

  it('is broken by a conflict with nobody', () => {
    expect(checkImport({ conflictIds: new Set(['1']) }, [])).toEqual([invariant])
  })

  it('is broken by a conflict in spite of --overwrite', () => {
    expect(checkImport({ conflictIds: new Set(['1']), overwrite: true }, [pending])).toEqual([invariant])
  })

  it('is broken by a new animal that the result file lacks', () => {
    expect(checkImport({ newNames: ['Rex'], resultNames: new Set(['Bella']) }, [sold])).toEqual([invariant])
  })

  it('holds for an edit that was made', () => {
    expect(checkImport({ newNames: ['Rex'], resultNames: new Set(['Rex']) }, [sold])).toEqual([])
  })

  it('holds for an edit after which somebody else has changed the animal again', () => {
    expect(checkImport({}, [sold, pending])).toEqual([])
  })

  it('holds for a conflict with a change of somebody else', () => {
    expect(checkImport({ conflictIds: new Set(['1']) }, [pending])).toEqual([])
  })

  it('holds for an animal that was removed, with --overwrite too', () => {
    expect(checkImport({ conflictIds: new Set(['1']), overwrite: true }, [{ id: 1n, [voidFor]: 'removal' }])).toEqual(
      [],
    )
  })
})

/** Time at which the id of an animal is drawn. */
const drawnAt = Date.UTC(2026, 10, 2, 12)
const animalId = Number(drawPetId(drawnAt, () => 7))

describe('a follower gets each animal', () => {
  const invariant = 'a follower gets each animal'

  /** Stores an animal that no follower gets, so many milliseconds after its id was drawn. */
  const missAnimal = (age: number, storedBy: { isOverdue: boolean; isAcknowledged: boolean }): readonly string[] => {
    const history = createHistory()
    const rules = new FollowerRules({ now: drawnAt + age }, history)
    rules.addFollower('follower')
    rules.recordVersion({ id: BigInt(animalId), name: 'Rex' }, storedBy)
    rules.checkAtEnd([animalId])
    return listBroken(history)
  }

  it('is broken by an animal that was stored in time', () => {
    expect(missAnimal(100, { isOverdue: false, isAcknowledged: false })).toEqual([invariant])
  })

  it('is broken by an animal that was stored after the timeout, but soon after its id was drawn', () => {
    expect(missAnimal(10_000, { isOverdue: true, isAcknowledged: false })).toEqual([invariant])
  })

  it('is broken by an animal whose creation was sent again meanwhile', () => {
    expect(missAnimal(20_000, { isOverdue: true, isAcknowledged: true })).toEqual([invariant])
  })

  it('holds for an animal that a frozen function has stored late', () => {
    expect(missAnimal(10_001, { isOverdue: true, isAcknowledged: false })).toEqual([])
  })

  it('holds for an animal that the follower has got', () => {
    const history = createHistory()
    const rules = new FollowerRules({ now: drawnAt }, history)
    const see = rules.addFollower('follower')
    rules.recordVersion({ id: BigInt(animalId), name: 'Rex' }, { isOverdue: false, isAcknowledged: false })
    see(animalId)
    rules.checkAtEnd([animalId])

    expect(history.violations).toEqual([])
  })
})

describe('an animal is added soon after its id was drawn', () => {
  const invariant = 'an animal is added soon after its id was drawn'

  const checkAge = (age: number, more: object = {}): readonly string[] => {
    const history = createHistory()
    const rules = new FollowerRules({ now: drawnAt + age }, history)
    rules.recordVersion({ id: BigInt(animalId), name: 'Rex', ...more }, { isOverdue: false, isAcknowledged: false })
    return listBroken(history)
  }

  it('is broken by an id that is ahead', () => {
    expect(checkAge(-1_501)).toEqual([invariant])
  })

  it('is broken by an id that is old', () => {
    expect(checkAge(45_001)).toEqual([invariant])
  })

  it('holds for clocks that differ a little', () => {
    expect(checkAge(-1_500)).toEqual([])
  })

  it('holds for a write that is throttled for half a minute', () => {
    expect(checkAge(45_000)).toEqual([])
  })

  it('holds for an old id that becomes void', () => {
    expect(checkAge(120_000, { [voidFor]: 'attempt' })).toEqual([])
  })
})

describe('a transaction that is under way', () => {
  it('rejects another write of one of its items', () => {
    const transactions = new Transactions()
    using _transaction = transactions.begin(['key 1', 'key 2'])

    expect(() => transactions.requireFree(['key 2'])).toThrow('Transaction is ongoing for the item')
  })

  it('lets other items be written', () => {
    const transactions = new Transactions()
    using _transaction = transactions.begin(['key 1', 'key 2'])

    expect(() => transactions.requireFree(['key 3'])).not.toThrow()
  })

  it('cancels another one that writes one of its items, with a reason for each item', () => {
    const transactions = new Transactions()
    using _transaction = transactions.begin(['key 1', 'key 2'])

    expect(() => transactions.begin(['key 3', 'key 2'])).toThrow(
      expect.objectContaining({
        body: expect.objectContaining({
          __type: expect.stringContaining('TransactionCanceledException'),
          CancellationReasons: [{ Code: 'None' }, { Code: 'TransactionConflict' }],
        }),
      }),
    )
  })

  it('leaves its items free when it has ended', () => {
    const transactions = new Transactions()
    transactions.begin(['key 1'])[Symbol.dispose]()

    expect(() => transactions.requireFree(['key 1'])).not.toThrow()
  })
})
