import fc from 'fast-check'
import { beforeEach, expect, it, vi } from 'vitest'
import { createKeysTool } from '../../../../../infra/operations/keys/keys-tool.ts'
import { createPetsTool } from '../../../../../infra/operations/pets/pets-tool.ts'
import { type CommandRow, expectTruth, type FaultWorld, openFaultWorld } from '../../../../fixtures/command-faults.ts'
import { runToolInProcess, runToolOnFullDisk } from '../../../../fixtures/commands.ts'
import { type CommandFaults, drawCommandFaults, type Kill, noFaults } from '../../../../fixtures/faulty-environment.ts'
import { startNode } from '../../../../fixtures/node-process.ts'
import { chooseBySize } from '../../../../fixtures/size.ts'
import { keyRows } from './key-rows.ts'
import { petRows } from './pet-rows.ts'

/** Number of commands that meet faults. `PET_COMMAND_FAULTS=1000` tries more. */
const faultCount = Number(process.env['PET_COMMAND_FAULTS'] ?? chooseBySize(12, 200))

/** Number of commands that are killed. `PET_COMMAND_KILLS=100` kills more. */
const killCount = Number(process.env['PET_COMMAND_KILLS'] ?? chooseBySize(2, 20))

const rows: readonly CommandRow[] = [...keyRows, ...petRows]

// Math.random chooses each wait before a call is repeated: 0 is the shortest one.
beforeEach(() => {
  vi.spyOn(Math, 'random').mockReturnValue(0)
})

/** Number of the last call that a command makes without faults. */
const lastCall = 4

const createToolOf = ({ tool }: CommandRow) => (tool === 'keys' ? createKeysTool() : createPetsTool())

const run = (row: CommandRow, world: FaultWorld) => {
  return runToolInProcess(createToolOf(row), [...row.words(world), ...world.options])
}

/** Expects that the same command does its work once nothing fails any more. */
const expectRepeatable = async (world: FaultWorld, row: CommandRow): Promise<void> => {
  await expectTruth(world, row, async () => {
    const ended = await run(row, world)
    expect(ended.exitCode, ended.errors).toBe(0)
    return ended
  })
}

const expectTruthDespiteFaults = async (row: CommandRow, faults: CommandFaults): Promise<void> => {
  await using world = await openFaultWorld()
  world.failCalls(faults)
  await expectTruth(world, row, () => run(row, world))
  await expectRepeatable(world, row)
}

const expectTruthDespiteKill = async (row: CommandRow, kill: Kill): Promise<void> => {
  await using world = await openFaultWorld()
  await expectTruth(world, row, async () => {
    const words = [...row.words(world), ...world.options]
    const started = startNode([`infra/operations/${row.tool}/${row.tool}.ts`, ...words])
    world.killAtCall(started.child, kill)
    const exitCode = await started.ended
    return { output: started.output(), errors: started.errors(), exitCode }
  })
  await expectRepeatable(world, row)
}

it('a command that meets faults prints the truth, and can be repeated', {
  timeout: 60_000 + faultCount * 20_000,
}, async () => {
  const property = fc.asyncProperty(fc.constantFrom(...rows), drawCommandFaults(lastCall), expectTruthDespiteFaults)
  await fc.assert(property, { numRuns: faultCount, endOnFailure: true })
})

it('a command that is killed leaves a true audit, and can be repeated', {
  timeout: 60_000 + killCount * 20_000,
}, async () => {
  const kills = fc.record({ killedAt: fc.integer({ min: 1, max: lastCall }), isLastCallMade: fc.boolean() })
  const property = fc.asyncProperty(fc.constantFrom(...rows), kills, expectTruthDespiteKill)
  await fc.assert(property, { numRuns: killCount, endOnFailure: true })
})

// The last call of each of these commands is the one that changes something.
it.each(rows)('$name prints the truth if the response to each of its calls is lost', async (row) => {
  for (let firstFault = 1; firstFault <= lastCall; firstFault += 1) {
    await expectTruthDespiteFaults(row, { ...noFaults, fault: 'response lost', firstFault, faultyCalls: 1 })
  }
})

it.each(rows)('$name prints the truth if no call is answered from its write on', async (row) => {
  for (let firstFault = 2; firstFault < lastCall; firstFault += 1) {
    await expectTruthDespiteFaults(row, { ...noFaults, fault: 'response lost', firstFault, faultyCalls: 999 })
  }
})

it.each(rows)('$name prints the truth if its output cannot be written', async (row) => {
  await using world = await openFaultWorld()
  await expectTruth(world, row, () => runToolOnFullDisk(createToolOf(row), [...row.words(world), ...world.options]))
})
