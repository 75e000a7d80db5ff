/**
 * Nights (runs of `pets sync`) and operators change pets at the same time, while their calls to DynamoDB run in every
 * order and fail in every way. Then the pets, the index and the audit say the same, no animal is added twice, no change
 * is lost, and what each command reports is true.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ProvisionedThroughputExceededException, TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import fc from 'fast-check'
import { beforeEach, expect, it, vi } from 'vitest'
import type { ChangeId } from '../../../../../infra/commands/changes/record.ts'
import { formatPetState, type StoredPet } from '../../../../../infra/commands/changes/stored-pet.ts'
import { formatJsonLine } from '../../../../../infra/commands/files/json-lines.ts'
import { formatSheet } from '../../../../../infra/commands/files/sheet.ts'
import { addPet } from '../../../../../infra/commands/pets/add.ts'
import { setPets } from '../../../../../infra/commands/pets/edit-pets.ts'
import {
  numberRows,
  openShelter,
  pickChangeIds,
  type Row,
  type Shelter,
} from '../../../../fixtures/commands/shelter.ts'
import { createWrappedClient, sendAndLoseResponse } from '../../../../fixtures/database/clients.ts'
import { itHoldsInEachOrder, type Turns } from '../../../../fixtures/database/turns.ts'
import { createTemporaryFolder } from '../../../../fixtures/machine/temporary-folder.ts'

// Math.random chooses each wait before a call is repeated: 0 is the shortest one.
beforeEach(() => {
  vi.spyOn(Math, 'random').mockReturnValue(0)
})

const faults = ['refused', 'request lost', 'response lost', 'late', 'killed'] as const

type DrawFault = () => (typeof faults)[number] | undefined

/** Draws a function that chooses the fault of each call of a process. Most calls have none. */
const drawFaults: fc.Arbitrary<DrawFault> = fc
  .infiniteStream(
    fc.oneof({ weight: 12, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.constantFrom(...faults) }),
  )
  .map((stream) => () => stream.next().value ?? undefined)

const createConnectionError = (): Error => Object.assign(new Error('no answer'), { name: 'TimeoutError' })

/** Creates the error of a call that DynamoDB refuses for now: a transaction as in conflict, any other as throttled. */
const createRefusal = (operation: string): Error => {
  const $metadata = {}
  if (operation !== 'TransactWriteItems') return new ProvisionedThroughputExceededException({ $metadata, message: '' })
  const CancellationReasons = [{ Code: 'TransactionConflict' }]
  return new TransactionCanceledException({ $metadata, message: 'conflict', CancellationReasons })
}

/** Creates the client of one process. Each call waits for its turn, and then may fail, as `drawFault` says. */
const createFailingClient = ({ engine }: Shelter, turns: Turns, drawFault: DrawFault) => {
  let isKilled = false
  return createWrappedClient(engine, async (operation, send) => {
    if (isKilled) throw new Error('killed')
    await turns.waitForTurn(operation)
    const fault = drawFault()
    switch (fault) {
      case undefined:
        return send()
      case 'refused':
        throw createRefusal(operation)
      case 'request lost':
        throw createConnectionError()
      case 'response lost':
        await sendAndLoseResponse(send)
        throw createConnectionError()
      case 'late':
        // The call lands in some later turn, when nobody waits for it any more.
        void turns.start(async () => {
          await turns.waitForTurn(`late ${operation}`)
          await sendAndLoseResponse(send)
        })
        throw createConnectionError()
      case 'killed':
        isKilled = true
        throw new Error('killed')
    }
  })
}

/** The person who runs a command, and the client that it uses. */
interface CommandOptions {
  readonly who: string
  readonly client: ReturnType<typeof createFailingClient>
}

/** The report of a command at its end. */
interface Ending {
  readonly who: string
  /** The changes that it reports; undefined if it has failed. */
  readonly reported?: readonly ChangeId[]
  /** The number of changes that its error reports as done. */
  readonly doneCount?: number
}

/** Runs a command that may fail. @returns what it reports */
const runToEnd = async (who: string, run: () => ReturnType<Shelter['set']>): Promise<Ending> => {
  try {
    return { who, reported: pickChangeIds(await run()) }
  } catch (error) {
    const [, count = '0'] = /(\d+) of \d+ changes? done/.exec(String(error)) ?? []
    return { who, doneCount: Number(count) }
  }
}

/** Prepares the commands of people whose clients fail as drawn for each of them. */
const prepareCommands =
  <Who extends string>(shelter: Shelter, turns: Turns, faultsOf: Readonly<Record<Who, DrawFault>>) =>
  (who: Who, run: (options: CommandOptions) => ReturnType<Shelter['set']>) =>
  () =>
    runToEnd(who, () => run({ who, client: createFailingClient(shelter, turns, faultsOf[who]) }))

/**
 * Expects that a command has made the changes that it reports. After a failure more may be made than it reports: a
 * change may land when the command has given up.
 */
const expectTruth = async (shelter: Shelter, { who, reported, doneCount = 0 }: Ending): Promise<void> => {
  const madeIds = await shelter.readChangeIdsOf(who)
  if (reported === undefined)
    expect(madeIds.length, `${who} reports no more than is made`).toBeGreaterThanOrEqual(doneCount)
  else expect(reported.toSorted(), `${who} reports what is made`).toEqual(madeIds.toSorted())
}

const firstFile: readonly Row[] = numberRows(0, 4)
/** Changes N0 and N1, hides N2, no longer has N3, and adds N4 and N5. */
const file: readonly Row[] = [
  { number: 'N0', name: 'Rex' },
  { number: 'N1', status: 'pending' },
  { number: 'N2', status: 'hidden' },
  { number: 'N4' },
  { number: 'N5' },
]
const laterFile: readonly Row[] = [{ number: 'N0', name: 'Rex' }, { number: 'N1' }, { number: 'N4', name: 'Bo' }]

itHoldsInEachOrder(
  'two nights and three operators leave pets, index and audit in agreement, with any order of calls and any fault',
  fc.record({ night: drawFaults, nextNight: drawFaults, bob: drawFaults, carol: drawFaults, dora: drawFaults }),
  async (turns, faultsOf) => {
    const shelter = await openShelter()
    await shelter.accept(firstFile)
    const [idOfBob, idOfCarol] = [await shelter.findId('N0'), await shelter.findId('N1')]
    const changesOfDora = pickChangeIds(await shelter.set('N3', { status: 'pending' }))
    const act = prepareCommands(shelter, turns, faultsOf)

    const endings = await turns.run([
      act('night', (options) => shelter.accept(file, options)),
      act('nextNight', (options) => shelter.accept(laterFile, options)),
      act('bob', (options) => shelter.set(idOfBob, { name: 'Max' }, options)),
      act('carol', (options) => shelter.remove(idOfCarol, options)),
      act('dora', (options) => shelter.undo(changesOfDora, options)),
    ])

    expect(await shelter.findContradictions()).toEqual([])
    for (const ending of endings) await expectTruth(shelter, ending)

    await shelter.accept(laterFile)
    expect(await shelter.findContradictions()).toEqual([])
    // No operator changes this animal.
    expect(await shelter.list()).toMatchObject({ N4: 'Bo available' })
    expect((await shelter.accept(laterFile)).json).toMatchObject({ changes: [] })
  },
)

/** Writes exports of a pet that somebody has renamed. @returns the paths of one for `restore` and one for `import` */
const writeExports = ({ id, state, origin }: StoredPet) => {
  const folder = createTemporaryFolder()
  const [backup, sheet] = [join(folder, 'backup.jsonl'), join(folder, 'sheet.csv')]
  writeFileSync(backup, formatJsonLine({ ...formatPetState(id, state, origin), ...origin, name: 'Old' }))
  const rows = [...formatSheet(state.kind === 'shown' ? [state.pet] : [])].join('')
  writeFileSync(sheet, rows.replace('"N0"', '"Edited"'))
  return { backup, sheet }
}

// In the property above, a call of one operator seldom comes between the read and the write of another one. So here all
// of them change one pet.
itHoldsInEachOrder(
  'operators who change one pet at the same time lose no change, with any order of calls and any fault',
  fc.record({
    bob: drawFaults,
    carol: drawFaults,
    dora: drawFaults,
    emma: drawFaults,
    fred: drawFaults,
    gina: drawFaults,
  }),
  async (turns, faultsOf) => {
    const shelter = await openShelter()
    await shelter.accept(firstFile)
    const pet = await shelter.findPet('N0')
    const { id } = pet
    const { backup, sheet } = writeExports(pet)
    const act = prepareCommands(shelter, turns, faultsOf)

    const endings = await turns.run([
      act('bob', (options) => shelter.set(id, { name: 'Max' }, options)),
      act('carol', (options) => shelter.set(id, { status: 'pending' }, options)),
      act('dora', (options) => shelter.remove(id, options)),
      act('emma', (options) => shelter.restore(backup, options)),
      act('fred', (options) => shelter.import(sheet, options)),
      act('gina', (options) => shelter.sync([{ number: 'N0', name: 'Bo' }, ...numberRows(1, 4)], options)),
    ])

    expect(await shelter.findContradictions()).toEqual([])
    for (const ending of endings) await expectTruth(shelter, ending)
  },
)

const timeout = Object.assign(new Error('socket hang up'), { name: 'TimeoutError' })

const createCancellation = (Code: string) =>
  new TransactionCanceledException({ $metadata: {}, message: `[${Code}]`, CancellationReasons: [{ Code }] })

it.each([
  { write: 'is not answered', error: timeout },
  // The SDK repeats a transaction whose response is lost, and then the pet has changed already.
  { write: 'is canceled', error: createCancellation('ConditionalCheckFailed') },
])('a change whose write $write has an unknown outcome if its record cannot be read', async ({ error }) => {
  const shelter = await openShelter()
  await shelter.accept(numberRows(0, 1))
  const client = createWrappedClient(shelter.engine, async (operation, send) => {
    if (operation === 'BatchGetItem') return send()
    throw operation === 'TransactWriteItems' ? error : timeout
  })

  await expect(shelter.set('N0', { status: 'sold' }, { client })).rejects.toMatchObject({
    exitCode: 1,
    message: expect.stringMatching(/is not known\. 0 of 1 change done\. Run the same command again\.$/),
  })
  expect((await shelter.set('N0', { status: 'sold' })).json).toMatchObject({ changed: 1 })
})

it('an addition whose transaction may still be made has an unknown outcome, and its advice is not to add it again', async () => {
  const shelter = await openShelter()
  /** The transaction of the addition, and its repetitions, which are not sent. */
  const transactions: (() => Promise<unknown>)[] = []
  const client = createWrappedClient(shelter.engine, async (operation, send) => {
    if (operation !== 'TransactWriteItems' && transactions.length === 0) return send()
    if (operation === 'TransactWriteItems') transactions.push(send)
    // The audit can be read, and has no record of the addition yet. The pet cannot be read.
    if (operation === 'GetItem') return send()
    throw timeout
  })

  const addition = addPet(shelter.createRequest({ client }), { name: 'Rex', categoryId: 1n, status: 'available' })

  await expect(addition).rejects.toThrow(/is not known\. "npm run audit -- \d+" shows whether the pet is added\.$/)
  // The transaction lands after the command has ended.
  await transactions[0]?.()
  expect(await shelter.readPets()).toHaveLength(1)
})

it('a transaction that AWS cancels as invalid fails with the reason that AWS gives', async () => {
  const shelter = await openShelter()
  await shelter.accept(numberRows(0, 1))
  const client = createWrappedClient(shelter.engine, async (operation, send) => {
    if (operation !== 'TransactWriteItems') return send()
    throw createCancellation('ValidationError')
  })

  await expect(shelter.set('N0', { status: 'sold' }, { client })).rejects.toThrow(
    /\[ValidationError\].* 0 of 1 change done/,
  )
})

// The first transaction has 33 of the 40 pets, its maximum. At 250 pets a second the next one begins 132 ms later.
it.each([
  { name: 'staging', waits: [132] },
  { name: 'local', waits: [] },
] as const)('a command writes at most 250 pets a second on AWS: $name', async ({ name, waits }) => {
  const shelter = await openShelter()
  await shelter.accept(numberRows(0, 40))
  const ids = (await shelter.readPets()).map(({ id }) => id)
  const { environment, operator } = shelter.createRequest()
  vi.spyOn(performance, 'now').mockReturnValue(0)
  const wait = vi.spyOn(globalThis, 'setTimeout')

  await setPets({ environment: { ...environment, name }, operator }, ids, { status: 'sold' })

  const waited = wait.mock.calls.map(([, milliseconds]) => milliseconds)
  // The SDK also sets timers, of other lengths.
  expect(waited.filter((milliseconds) => milliseconds === 132)).toEqual(waits)
})
